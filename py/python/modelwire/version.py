"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import __version__ as VERSION

__all__ = [
    "VERSION",
]
