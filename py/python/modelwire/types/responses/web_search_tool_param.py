"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    WebSearchToolParam,
    WebSearchToolParamFilters as Filters,
    WebSearchToolParamUserLocation as UserLocation,
)

__all__ = [
    "Filters",
    "UserLocation",
    "WebSearchToolParam",
]
