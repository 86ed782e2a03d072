"""The scenarios of test_accessors through an AsyncClient."""

from awaited import client, loop, scripted  # noqa: F401
from test_accessors import test_every_row_gives_its_sample  # noqa: F401
