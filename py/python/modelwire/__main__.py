"""`python -m modelwire`: the command. Knows no argument."""

import sys

from modelwire._command import main

if __name__ == "__main__":
    sys.exit(main())
