"""What people write: run.yml and security.yml as models, loaded with every problem and its place."""
