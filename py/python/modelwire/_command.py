"""The command `modelwire` of `pip install`: the same as the binary of that name."""

import signal
import sys

from modelwire._native import run_command


def main() -> int:
    """Runs the command with the arguments of this process."""
    # The command listens to Ctrl-C itself, or lets the system end the process silently. Python's
    # handler would raise KeyboardInterrupt when it is over. Where Ctrl-C is ignored it stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command(["modelwire", *sys.argv[1:]])
