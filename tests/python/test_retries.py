"""What is tried again, when, and with which bytes."""

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import modelwire
from conftest import KEY, SOON, one_of_three
from wire import ANSWER, HELLO, answer, events, finish, piece, text

BUSY = answer({"error": {"message": "slow down"}}, 429)


def waits(requests):
    """Seconds between the requests that reached the service."""
    times = [request["at_ms"] / 1000 for request in requests]
    return [later - sooner for sooner, later in zip(times, times[1:])]


def asked(client, stream=False):
    return client.chat.completions.create(model="m", messages=HELLO, stream=stream)


def test_a_busy_service_is_asked_again_with_the_same_bytes(service, client):
    """The default policy; model `recovers` answers the third attempt."""
    completion = client.chat.completions.create(model="recovers", messages=HELLO)
    assert completion.choices[0].message.content == HELLO[0]["content"]
    requests = service.requests()
    assert len(requests) == 3 and len({request["body"] for request in requests}) == 1
    first, second = waits(requests)
    assert 0.45 < first < SOON and 0.95 < second < SOON


def test_opening_a_stream_is_retried_with_the_same_bytes(scripted):
    client = scripted(BUSY, events(piece("a"), finish()))
    assert text(asked(client, stream=True)) == "a"
    assert len({request["body"] for request in scripted.requests()}) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_no_retries(service, stream):
    """max_retries=0 tells the first 429."""
    client = modelwire.Client(base_url=service.base_url, api_key=KEY, max_retries=0)
    with pytest.raises(modelwire.RateLimitError) as raised:
        client.chat.completions.create(model="recovers", messages=HELLO, stream=stream)
    error = raised.value
    assert (error.status_code, error.kind, error.attempts) == (429, "rate_limited", 1)
    assert error.code == "rate_limit_exceeded" and error.retry_after is None
    assert error.metered == "unknown" and "backoff" in error.hint and len(service.requests()) == 1


def test_at_most_max_retries_are_made(scripted):
    """One more than max_retries."""
    with pytest.raises(modelwire.RateLimitError) as raised:
        asked(scripted(BUSY, max_retries=1))
    assert raised.value.attempts == len(scripted.requests()) == 2
    assert raised.value.elapsed > 0.45


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 409, 500, 502, 503, 504])
def test_no_other_status_is_tried_again(scripted, status):
    with pytest.raises(modelwire.APIStatusError) as raised:
        asked(scripted(answer({}, status)))
    assert raised.value.attempts == len(scripted.requests()) == 1


def test_the_service_may_ask_for_a_longer_wait(scripted):
    """A longer Retry-After raises the wait."""
    client = scripted(answer({}, 429, retry_after="1"), ANSWER)
    asked(client)
    [wait] = waits(scripted.requests())
    assert wait > 0.95


def test_a_wait_beyond_the_bound_returns_the_error_at_once(scripted):
    """Never tried early."""
    before = time.monotonic()
    with pytest.raises(modelwire.RateLimitError) as raised:
        asked(scripted(answer({}, 429, retry_after="3600")))
    assert time.monotonic() - before < SOON  # clock: bounds a hang
    assert (raised.value.retry_after, raised.value.attempts) == (3600.0, 1)


def test_nothing_is_tried_again_once_a_stream_is_open(scripted):
    """Also not a rate limit told inside of it."""
    error = '{"error":{"message":"slow down","code":"rate_limit_exceeded"}}'
    client = scripted(events(piece("a"), error))
    with pytest.raises(modelwire.APIError) as raised:
        list(asked(client, stream=True))
    assert raised.value.code == "rate_limit_exceeded" and len(scripted.requests()) == 1


CALLS = 10
ADAPTIVE = modelwire.Retry(adaptive=True)


def test_an_answer_that_fails_before_its_content_is_retried_if_wanted(scripted):
    """Nothing of the failed attempts reaches the program; the record has all of them."""
    failed = events(piece(""), json.dumps({"error": {"message": "overloaded"}}))
    good = events(piece(""), piece("a"), finish())
    retry = modelwire.Retry(before_content=True, first_wait=0.001)
    client = scripted(failed, events(piece(""), end="cut"), good, retry=retry)
    chunks = list(asked(client, stream=True))
    assert text(chunks) == "a" and len(chunks) == 3
    assert asked(scripted(failed, failed, good, retry=retry)).choices[0].message.content == "a"
    with pytest.raises(modelwire.APIError, match="overloaded"):
        list(asked(scripted(failed, good), stream=True))


def check_adaptive(service, run):
    """All are answered. Without the option these are 28 requests in lockstep, and two of the calls
    are lost."""
    service.clear()
    assert run() == [HELLO[0]["content"]] * CALLS
    assert service.state()["metered"]["limited"]["calls"] == CALLS
    assert CALLS <= len(service.requests()) < 28


def test_many_threads_slow_down_together(service):
    """On a service that takes two calls a second."""

    def ask(_):
        completion = client.chat.completions.create(model="limited", messages=HELLO)
        return completion.choices[0].message.content

    def run():
        return list(threads.map(ask, range(CALLS)))

    with (
        modelwire.Client(base_url=service.base_url, api_key=KEY, retry=ADAPTIVE) as client,
        ThreadPoolExecutor(CALLS) as threads,
    ):
        one_of_three(lambda: check_adaptive(service, run))


def test_many_tasks_slow_down_together(service):
    """Half of them are streams."""

    async def run():
        async with modelwire.AsyncClient(
            base_url=service.base_url, api_key=KEY, retry=ADAPTIVE
        ) as client:

            async def ask(stream):
                create = client.chat.completions.create
                answered = await create(model="limited", messages=HELLO, stream=stream)
                if not stream:
                    return answered.choices[0].message.content
                return text([chunk async for chunk in answered])

            return await asyncio.gather(*(ask(number % 2 == 0) for number in range(CALLS)))

    one_of_three(lambda: check_adaptive(service, lambda: asyncio.run(run())))
