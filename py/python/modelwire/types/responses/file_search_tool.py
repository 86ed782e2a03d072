"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ComparisonFilter,
    CompoundFilter,
    FileSearchTool,
    FileSearchToolFilters as Filters,
    FileSearchToolRankingOptions as RankingOptions,
    FileSearchToolRankingOptionsHybridSearch as RankingOptionsHybridSearch,
)

__all__ = [
    "ComparisonFilter",
    "CompoundFilter",
    "FileSearchTool",
    "Filters",
    "RankingOptions",
    "RankingOptionsHybridSearch",
]
