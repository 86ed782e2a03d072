"""The recordings of real servers through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_captures import test_recordings  # noqa: F401
