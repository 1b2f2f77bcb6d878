"""What a finished run leaves behind for people and programs, made from its journal alone."""
