"""Plays one scenario with the binding: scenarios.py SCENARIO"""

import sys

import common
import in_loop  # noqa: F401
import in_threads  # noqa: F401

if __name__ == "__main__":
    common.SCENARIOS[sys.argv[1]]()
