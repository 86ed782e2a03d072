"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    CustomToolInputFormatParam as CustomToolInputFormat,
    GrammarParam as Grammar,
    TextParam as Text,
)

__all__ = [
    "CustomToolInputFormat",
    "Grammar",
    "Text",
]
