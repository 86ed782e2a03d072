"""What services say of their limits in the head of an answer: on answers, streams, errors and raw
responses."""

import copy
import dataclasses
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

import modelwire
from callers import asked
from modelwire import RateLimit, RateLimits, testing
from wire import HELLO, answer

HEADERS = {
    "x-ratelimit-limit-requests": "60",
    "x-ratelimit-remaining-requests": "59",
    "x-ratelimit-reset-requests": "1m30s",
    "x-ratelimit-remaining-tokens": "149984",
    "x-ratelimit-reset-tokens": "6ms",
    "vendor-ratelimit-input-tokens-limit": "7",
    "retry-after": "2",
}
SAID = RateLimits(
    RateLimit(60, 59, 90.0),
    RateLimit(None, 149984, 0.006),
    {"input_tokens": RateLimit(limit=7)},
    retry_after=2.0,
)
COMPLETION = {"id": "c", "choices": [{}], "rate_limits": {"mine": 1}}
RESPONSE = {"id": "r", "output": [], "rate_limits": {"mine": 1}}
CHUNK = '{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}'


def streamed():
    """A stream with these headers."""
    head = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n{head}connection: close\r\n\r\n"
    return testing.raw(f"{head}data: {CHUNK}\n\ndata: [DONE]\n\n".encode())


def of(body):
    return testing.document(body, headers=HEADERS)


def test_limits_of_whole_answers(scripted):
    """Of every operation; what the service says in the body stays reachable."""
    headers = {name.replace("-", "_"): value for name, value in HEADERS.items()}
    models = answer({"data": []}, **headers)
    client = scripted(answer(COMPLETION, **headers), answer(RESPONSE, **headers), models)
    whole = asked(client)
    assert whole.rate_limits == SAID and whole["rate_limits"].mine == 1
    assert (
        whole.model_extra
        == {"rate_limits": {"mine": 1}}
        == {"rate_limits": whole.to_dict()["rate_limits"]}
    )
    response = client.responses.create(model="m", input="x")
    assert response.rate_limits == SAID and response.to_dict() == RESPONSE
    assert client.models.list().rate_limits == SAID
    whole.rate_limits = None
    assert whole.rate_limits is None and copy.copy(response).rate_limits == SAID


def test_rate_limits_are_none_without_headers(client):
    """None, of an answer, a stream and an error, and of an answer from elsewhere."""
    whole = asked(client, model="echo")
    made = type(whole)(id="c")
    stream = asked(client, model="echo", stream=True)
    assert whole.rate_limits is made.rate_limits is stream.rate_limits is None
    assert client.models.list().rate_limits is None
    assert pickle.loads(pickle.dumps(whole)).rate_limits is None
    with pytest.raises(modelwire.NotFoundError) as raised:
        asked(client, stream=True)
    assert raised.value.rate_limits is None
    assert modelwire.OpenAIError("x").rate_limits is None


def test_limits_of_streams(modelwire_service, caller):
    """From the start, of streams and of helper streams."""
    modelwire_service.queue(streamed(), streamed())
    helpers = []

    def opened(client):
        helpers.append(client.chat.completions.stream(model="m", messages=HELLO))
        return helpers[0]

    found, error, final = caller.read(opened)
    assert error is None and helpers[0]._made.rate_limits == SAID == final.rate_limits

    def read(client):
        stream = asked(client, stream=True)
        return stream.rate_limits, list(stream), stream.rate_limits

    before, chunks, after = caller(read)
    assert before == after == SAID and len(chunks) == 1


def test_limits_of_raw_responses(modelwire_service, caller):
    """Of both kinds, whole and streamed."""
    modelwire_service.queue(of(COMPLETION), of(COMPLETION), streamed())
    given = {"model": "m", "messages": HELLO}
    raw = caller(lambda client: client.chat.completions.with_raw_response.create(**given))
    assert raw.rate_limits == SAID == raw.parse().rate_limits == raw.http_response.rate_limits
    for is_streamed in (False, True):
        given["stream"] = is_streamed

        def ask(client):
            return client.chat.completions.with_streaming_response.create(**given)

        assert caller.opened(ask, lambda opened: opened.rate_limits) == SAID


@pytest.mark.parametrize("is_streamed", [False, True])
def test_limits_of_errors(modelwire_service, caller, is_streamed):
    """And of an error that was pickled or copied."""
    modelwire_service.queue(testing.error(429, "Slow down.", headers=HEADERS))
    with pytest.raises(modelwire.RateLimitError) as raised:
        caller(lambda client: asked(client.with_options(max_retries=0), stream=is_streamed))
    error = raised.value
    assert error.rate_limits == SAID and error.retry_after == 2.0 == error.rate_limits.retry_after
    assert error.response.rate_limits == SAID
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert other.rate_limits == SAID


def test_limits_of_an_answer_that_could_not_be_parsed(modelwire_service, caller):
    """Those that came with it."""
    message = {"role": "assistant", "content": "no JSON"}
    body = {"id": "c", "choices": [{"message": message, "finish_reason": "stop"}]}
    modelwire_service.queue(of(body))
    with pytest.raises(modelwire.AnswerValidationError) as raised:
        caller.chat(response_format=list[int])
    assert raised.value.rate_limits == SAID


def test_limits_of_errors_that_a_program_made():
    """For its own tests, with a response of httpx."""
    import httpx

    response = httpx.Response(429, headers=HEADERS, request=httpx.Request("POST", "http://h/"))
    error = modelwire.RateLimitError("Slow down.", response=response, body=None)
    assert error.rate_limits == SAID


def test_limits_as_values():
    """Frozen, compared, copied, pickled, hashed, shown."""
    for other in (copy.copy(SAID), copy.deepcopy(SAID), pickle.loads(pickle.dumps(SAID))):
        assert (
            other == SAID and hash(other) == hash(SAID) and other.others["input_tokens"].limit == 7
        )
    assert dataclasses.replace(SAID, retry_after=None) != SAID
    assert RateLimits() == RateLimits(others={}) and RateLimits().requests.remaining is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        SAID.retry_after = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        SAID.tokens.limit = 1
    assert repr(SAID.tokens) == "RateLimit(remaining=149984, reset=0.006)"
    assert SAID.to_dict() == {
        "requests": {"limit": 60, "remaining": 59, "reset": 90.0},
        "tokens": {"limit": None, "remaining": 149984, "reset": 0.006},
        "others": {"input_tokens": {"limit": 7, "remaining": None, "reset": None}},
        "retry_after": 2.0,
    }


@pytest.mark.thread_unsafe("a thread collects no garbage while another does")
def test_rate_limits_are_created_on_access(modelwire_service):
    """Of an answer with such headers; each look makes its own."""
    modelwire_service.queue(of(COMPLETION))
    client = modelwire.OpenAI(
        base_url=modelwire_service.base_url, api_key=modelwire_service.api_key
    )

    def made():
        gc.collect()
        return sum(isinstance(one, RateLimits) for one in gc.get_objects())

    before = made()
    whole = asked(client)
    assert made() == before
    limits = whole.rate_limits
    assert limits == SAID and made() == before + 1


def test_threads_and_copies_see_the_same(modelwire_service):
    """Looked at by many at once, of a copy of the client."""
    modelwire_service.queue(of(COMPLETION))
    settings = {"base_url": modelwire_service.base_url, "api_key": modelwire_service.api_key}
    whole = asked(modelwire.OpenAI(**settings).with_options(timeout=5, max_retries=0))
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: whole.rate_limits, range(200)))
    assert found == [SAID] * 200
