"""Observers of the calls of an AsyncClient."""

import pytest

import modelwire
from awaited import Awaited, loop, scripted  # noqa: F401
from conftest import KEY
from test_observe import (  # noqa: F401
    test_calls_that_are_left,
    test_failures,
    test_headers,
    test_one_that_wants_no_end,
    test_start_and_end,
    test_streams,
    test_what_an_observer_raises,
    watch,
)

pytestmark = pytest.mark.thread_unsafe("observers are the process's")


@pytest.fixture
def made(service, loop):  # noqa: F811
    """The client of test_observe, asynchronous."""
    client = modelwire.AsyncClient(base_url=service.base_url, api_key=KEY)
    with Awaited(client, loop) as made:
        yield made
