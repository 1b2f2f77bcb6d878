"""`python -m sensei_kumite` is the `sensei-kumite` command."""

import sys

from sensei_kumite.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
