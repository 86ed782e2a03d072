"""Runs the scenarios of the benchmark with each client in turns and tells what they cost. The
clients stand beside this package, in `src`, `c`, `python` and `peers`; nothing here is timed."""
