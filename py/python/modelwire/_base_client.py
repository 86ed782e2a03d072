"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire import (
    AsyncClient as AsyncAPIClient,
    Client as SyncAPIClient,
    DEFAULT_MAX_RETRIES,
    DEFAULT_TIMEOUT,
)
from modelwire._client import BaseClient
from modelwire._resources import AsyncPaginator, ModelList as BasePage

__all__ = [
    "AsyncAPIClient",
    "AsyncPaginator",
    "BaseClient",
    "BasePage",
    "DEFAULT_MAX_RETRIES",
    "DEFAULT_TIMEOUT",
    "SyncAPIClient",
]
