"""`python -m modelwire`: the command."""

import sys

from modelwire._command import main

if __name__ == "__main__":
    sys.exit(main())
