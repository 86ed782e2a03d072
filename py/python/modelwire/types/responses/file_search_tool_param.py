"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ComparisonFilterParam as ComparisonFilter,
    CompoundFilterParam as CompoundFilter,
    FileSearchToolParam,
    FileSearchToolParamFilters as Filters,
    FileSearchToolParamRankingOptions as RankingOptions,
    FileSearchToolParamRankingOptionsHybridSearch as RankingOptionsHybridSearch,
)

__all__ = [
    "ComparisonFilter",
    "CompoundFilter",
    "FileSearchToolParam",
    "Filters",
    "RankingOptions",
    "RankingOptionsHybridSearch",
]
