"""What an AsyncClient is made from."""

import asyncio

import pytest

import modelwire
from awaited import client, loop, scripted  # noqa: F401
from conftest import KEY
from test_configuration import (  # noqa: F401
    test_a_base_url_may_have_a_slash_and_a_query,
    test_a_key_in_a_header_is_masked,
    test_a_key_may_look_odd,
    test_a_key_that_an_event_echoes_is_masked,
    test_a_key_that_the_service_echoes_is_masked,
    test_a_key_that_was_copied_wrong_is_told_what,
    test_default_headers,
)


@pytest.mark.parametrize("key", ["", "sk-a b", "Bearer sk-abc", "sk-\x00"])
def test_a_key_that_cannot_be_right(key):
    """Refused when the client is made, without showing it."""
    with pytest.raises(modelwire.OpenAIError) as caught:
        modelwire.AsyncClient(base_url="http://127.0.0.1:1/v1", api_key=key)
    assert "api_key" in str(caught.value) or "API key" in str(caught.value)
    assert not key or key not in str(caught.value)


def test_stray_white_space_around_a_key(service):
    """Removed."""

    async def models():
        async with modelwire.AsyncClient(base_url=service.base_url, api_key=f" {KEY}\n") as one:
            return [model.id async for model in one.models.list()]

    assert "echo" in asyncio.run(models())
