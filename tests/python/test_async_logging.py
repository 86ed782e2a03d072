"""The levels of the log through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_logging import kept, test_levels  # noqa: F401
