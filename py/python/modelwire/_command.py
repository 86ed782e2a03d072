"""The command `modelwire` of `pip install`: the same as the binary of that name."""

import signal
import sys

from modelwire._native import run_command


def main() -> int:
    """Runs the command with the arguments of this process."""
    # The command handles Ctrl-C itself, or lets the system end the process silently. Python's
    # handler would raise KeyboardInterrupt afterwards. If Ctrl-C is ignored, it stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command(["modelwire", *sys.argv[1:]])
