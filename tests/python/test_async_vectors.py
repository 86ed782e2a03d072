"""The vectors of the grammar and of errors through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_vectors import (  # noqa: F401
    test_envelopes,
    test_streams_of_the_grammar,
)
