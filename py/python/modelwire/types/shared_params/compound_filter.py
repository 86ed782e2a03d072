"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ComparisonFilterParam as ComparisonFilter,
    CompoundFilterParam as CompoundFilter,
    FilterParam as Filter,
)

__all__ = [
    "ComparisonFilter",
    "CompoundFilter",
    "Filter",
]
