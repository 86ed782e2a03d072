"""What fails after it was sent, and everything that its exception tells."""

import copy
import datetime
import json
import pickle
import socket
import time
import traceback

import pytest

import modelwire
from callers import asked
from conftest import KEY
from wire import ANSWER, HELLO, WORDS, answer, events, finish, piece

KEY_HINT = (
    "Copy the whole API key again from the service's control panel, and pass it without quotes, "
    "white space or the word Bearer."
)
FIELDS = [
    *("kind", "message", "hint", "type", "code", "param", "status_code", "request_id"),
    *(
        "retry_after",
        "timeout",
        "body_text",
        "request_time",
        "path",
        "model",
        "attempts",
        "elapsed",
    ),
    "metered",
]


def fails(client, error, model="m", stream=False):
    """The exception of a chat call that fails."""
    with pytest.raises(error) as raised:
        client.chat.completions.create(model=model, messages=HELLO, stream=stream)
    assert type(raised.value) is error
    return raised.value


def failure(client):
    """The same, whatever class it has."""
    with pytest.raises(modelwire.APIError) as raised:
        asked(client)
    return raised.value


def broken_stream(client, error, model="m"):
    """The chunks of a stream that breaks, and its exception; after it the stream is over."""
    chunks = []
    chat = client.chat.completions.create(model=model, messages=HELLO, stream=True)
    with pytest.raises(error) as raised:
        chunks.extend(chat)  # extend keeps what came before the exception
    assert type(raised.value) is error
    assert list(chat) == [] and chat.end is None
    return [chunk.choices[0].delta.content for chunk in chunks], raised.value


def test_a_wrong_key_is_an_authentication_error(service):
    """401 with all that is known."""
    client = modelwire.Client(base_url=service.base_url, api_key="sk-wrong")
    before, begun = datetime.datetime.now(datetime.timezone.utc), time.monotonic()
    error = fails(client, modelwire.AuthenticationError, model="echo")
    took, after = time.monotonic() - begun, datetime.datetime.now(datetime.timezone.utc)
    assert before <= error.request_time <= after
    assert error.request_time.tzinfo is datetime.timezone.utc
    assert 0 < error.elapsed <= took  # clock: the same time, measured around it
    assert error.request_id.startswith("req-")
    told = {name: getattr(error, name) for name in FIELDS}
    for changing in ("request_time", "elapsed", "request_id"):
        del told[changing]
    body = {"message": "Incorrect API key provided.", "type": "invalid_request_error"}
    body.update(param=None, code="invalid_api_key")
    assert json.loads(told.pop("body_text")) == {"error": body}
    assert told == {
        "kind": "authentication",
        "message": "Incorrect API key provided.",
        "hint": KEY_HINT,
        "type": "invalid_request_error",
        "code": "invalid_api_key",
        "param": None,
        "status_code": 401,
        "retry_after": None,
        "timeout": None,
        "path": "/v1/chat/completions",
        "model": "echo",
        "attempts": 1,
        "metered": "normally_not",
    }
    # In a traceback as well, which ends with it.
    assert str(error) == f"Incorrect API key provided. (status 401). Hint: {KEY_HINT}"
    shown = traceback.format_exception_only(type(error), error)[-1]
    assert shown.endswith(f"AuthenticationError: {error}\n")
    assert error.args == ("Incorrect API key provided.",)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("model", "error", "code", "hint"),
    [
        ("forbidden", modelwire.PermissionDeniedError, "insufficient_balance", "balance"),
        ("no-such-model", modelwire.NotFoundError, "model_not_found", "model name"),
        ("broken", modelwire.InternalServerError, "internal_error", "contact support"),
    ],
)
def test_refused_calls(service, client, model, error, code, hint, stream):
    """Their kind, code and hint; none is sent twice."""
    raised = fails(client, error, model=model, stream=stream)
    assert (raised.code, raised.model, raised.attempts) == (code, model, 1)
    assert hint in raised.hint and raised.metered == "unknown"
    assert len(service.requests()) == 1


def test_a_stream_only_model_is_explained_in_the_hint(client):
    """Some models answer only by streaming."""
    error = fails(client, modelwire.BadRequestError, model="echo-stream-only")
    assert error.param == "stream" and "streaming" in error.hint


def test_a_wrong_path_is_explained(service):
    """A 404 with a base_url that does not end in /v1."""
    client = modelwire.Client(base_url=service.base_url.removesuffix("/v1"), api_key=KEY)
    error = fails(client, modelwire.NotFoundError)
    assert "does not end in /v1" in error.hint and error.path == "/chat/completions"
    client = modelwire.Client(base_url=f"{service.base_url}/v1", api_key=KEY)
    assert fails(client, modelwire.NotFoundError).hint.startswith("The base URL has /v1 twice. ")
    client = modelwire.Client(base_url=f"{service.base_url}/chat/completions", api_key=KEY)
    assert "ends in /chat/completions" in fails(client, modelwire.NotFoundError).hint


def test_a_base_url_without_a_host_is_refused():
    """The version is no host."""
    with pytest.raises(modelwire.OpenAIError, match="has no host"):
        modelwire.Client(base_url="http:///v1", api_key=KEY)


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, modelwire.BadRequestError, "invalid_request"),
        (402, modelwire.APIStatusError, "status"),
        (409, modelwire.ConflictError, "status"),
        (422, modelwire.UnprocessableEntityError, "status"),
        (501, modelwire.InternalServerError, "server"),
        (599, modelwire.InternalServerError, "server"),
        (307, modelwire.APIStatusError, "status"),
    ],
)
def test_every_status_has_its_exception(scripted, status, error, kind):
    """The classes of openai-python, the kinds of the core."""
    raised = fails(scripted(answer({}, status)), error)
    assert (raised.status_code, raised.kind) == (status, kind)
    assert len(scripted.requests()) == 1


@pytest.mark.parametrize(
    ("body", "message", "code"),
    [
        ({"error": {"message": "m", "code": 17}}, "m", "17"),
        ({"error": "just text"}, "just text", None),
        ({"message": "flat", "code": "c"}, "flat", "c"),
        ({"detail": "from a framework"}, "from a framework", None),
        ("plain text", "plain text", None),
        ("", "the service returned status 400 without a body", None),
    ],
)
def test_envelopes_of_errors(scripted, body, message, code):
    """The best message there is, `code` as text, the body as it came."""
    error = fails(scripted(answer(body, 400)), modelwire.BadRequestError)
    assert (error.message, error.code) == (message, code)
    assert error.body_text == (body if isinstance(body, str) else json.dumps(body))
    inner = body.get("error", body) if isinstance(body, dict) else body
    assert error.body == inner and error.response.text == error.body_text


@pytest.mark.parametrize("words", ["no", "set stream=true"])
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 429, 500, 503])
def test_streaming_is_named_where_it_may_help(scripted, status, words):
    """In the hint of a plain call that generates, and nowhere else."""

    def hint(call, **given):
        with pytest.raises(modelwire.APIStatusError) as raised:
            call(**given)
        assert str(raised.value).endswith(f" Hint: {raised.value.hint}")
        return raised.value.hint

    client = scripted(answer(words, status), max_retries=0)
    chat = {"model": "m", "messages": HELLO}
    helps = words != "no" and status in (400, 403, 404, 422, 500)
    assert ("set stream_only" in hint(client.chat.completions.create, **chat)) == helps
    assert ("set stream_only" in hint(client.responses.create, model="m", input="x")) == helps
    assert "stream_only" not in hint(client.chat.completions.create, **chat, stream=True)
    assert "stream_only" not in hint(client.chat.completions.create, **chat, stream_only=True)
    assert "stream_only" not in hint(client.models.list)


def test_a_base_url_without_version_is_named_as_a_possible_cause(scripted, service):
    """Whatever stands at a wrong place answers in its own way."""
    page = answer("<html>", content_type="text/html")
    for given, is_told in (
        (page, True),
        (answer("no", 405), True),
        (answer("no", 404), True),
        (answer("no", 400), False),
    ):
        base_url = service.script("no-version", [given]).removesuffix("/v1")
        error = failure(scripted(given, base_url=base_url, max_retries=0))
        assert error.hint.startswith("The base URL does not end in /v1. ") == is_told, error


def test_an_invalid_answer_is_metered_as_unknown(scripted):
    """Entered is what part of an answer came of; to list models is no processing."""
    page = answer("<p>Log in</p>", content_type="text/html")
    nothing = {"steps": [{"send": "HTTP/1.1 204 No Content\r\n\r\n"}]}
    for given in (page, nothing, answer("[]"), events()):
        assert failure(scripted(given)).metered == "unknown"
    assert failure(scripted(answer('{"choices":['))).metered == "entered"
    for given in (page, ANSWER, answer("no", 500), answer("no", 401)):
        with pytest.raises(modelwire.APIError) as raised:
            scripted(given).models.list()
        assert raised.value.metered == "normally_not"


def test_an_error_under_a_good_status_is_raised(scripted):
    """It is not handed out as an answer."""
    body = {"error": {"message": "m", "type": "t"}}
    error = fails(scripted(answer(body)), modelwire.APIError)
    assert (error.kind, error.message, error.type, error.status_code) == ("stream", "m", "t", 200)
    assert error.metered == "unknown"  # no part of an answer came


def test_a_refused_connection_was_never_sent():
    """The cause is in the message, and Python's own class catches it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening
        base_url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        client = modelwire.Client(base_url=base_url, api_key=KEY)
        error = fails(client, modelwire.APIConnectionError)
    assert isinstance(error, ConnectionError) and "refused" in error.message.lower()
    assert (error.kind, error.metered, error.status_code) == ("connect", "not_sent", None)
    assert "base_url" in error.hint and str(error) == f"{error.message}. Hint: {error.hint}"


def test_a_connection_that_breaks_off_before_the_answer(scripted):
    """Sent, so it may have been metered; not sent again."""
    error = fails(scripted({"steps": [{"close": True}]}), modelwire.APIConnectionError)
    assert (error.kind, error.metered, error.attempts) == ("disconnected", "unknown", 1)
    assert len(scripted.requests()) == 1


@pytest.mark.parametrize("end", ["cut", "reset"])
def test_a_cut_stream_never_looks_finished(scripted, end):
    """The chunks first, then the error."""
    client = scripted(events(piece("a"), piece("b"), end=end))
    chunks, error = broken_stream(client, modelwire.APIConnectionError)
    # A reset may overtake what was sent before it.
    assert chunks == ["a", "b"] or (end == "reset" and chunks in ([], ["a"]))
    assert (error.kind, error.metered, error.status_code) == ("disconnected", "entered", 200)
    assert len(scripted.requests()) == 1


def test_a_truncated_plain_answer_is_an_error(client):
    error = fails(client, modelwire.APIConnectionError, model="cut")
    assert (error.kind, error.metered) == ("disconnected", "entered")


@pytest.mark.parametrize(
    ("data", "count"),
    [([piece("a"), piece("b")], 2), ([piece("a"), piece("b")] * 20, 40)],
)
def test_a_clean_end_without_a_mark_is_incomplete(scripted, data, count):
    """After everything that came was delivered."""
    client = scripted(events(*data, end="eof"))
    chunks, error = broken_stream(client, modelwire.IncompleteStreamError)
    assert len(chunks) == count and f"{count} events" in error.message
    assert (error.kind, error.metered) == ("incomplete", "entered")


def test_an_error_in_a_stream_comes_after_the_chunks_before_it(client):
    """Raised with its fields and its raw text, never handed out as a chunk."""
    chunks, error = broken_stream(client, modelwire.APIError, model="error-in-stream")
    assert chunks == ["", *WORDS[:3]]
    assert (error.kind, error.type, error.code) == ("stream", "server_error", "upstream_failed")
    assert error.message == "The upstream provider failed."
    assert json.loads(error.body_text)["error"]["code"] == "upstream_failed"
    assert error.body["code"] == "upstream_failed"
    assert error.metered == "entered"


@pytest.mark.parametrize(
    ("model", "error", "code"),
    [
        ("cut", modelwire.APIConnectionError, None),
        ("flat-error", modelwire.APIError, "50002"),
        ("unended-error", modelwire.APIError, "upstream_failed"),
        ("no-mark", modelwire.IncompleteStreamError, None),
    ],
)
def test_streams_that_real_servers_broke_are_never_whole(client, model, error, code):
    """A lost connection, FastChat's worker out of memory, LitServe's error event, Portkey with its
    upstream cut."""
    chunks, raised = broken_stream(client, error, model=model)
    assert chunks == ["", *WORDS[:3]]
    assert (raised.code, raised.metered, raised.model) == (code, "entered", model)


def test_a_flat_error_with_status_200_is_raised(client):
    error = fails(client, modelwire.APIError, model="flat-error")
    assert (error.kind, error.code, error.status_code) == ("stream", "50002", 200)


def test_an_error_in_a_response_stream(client):
    """The flat form of response streams."""
    stream = client.responses.create(model="error-in-stream", input="a b c d", stream=True)
    found = []
    with pytest.raises(modelwire.APIError) as raised:
        found.extend(stream)
    deltas = [event.delta for event in found if event.type == "response.output_text.delta"]
    assert deltas == ["a ", "b ", "c "]
    assert (raised.value.code, raised.value.kind) == ("upstream_failed", "stream")


@pytest.mark.parametrize("stream", [False, True])
def test_html_under_a_good_status(scripted, stream):
    """Shown, not taken for an answer."""
    page = answer("<html><body>Log in</body></html>", content_type="text/html")
    client = scripted(page)
    with pytest.raises(modelwire.APIResponseValidationError, match="Log in") as raised:
        for _ in asked(client, stream=stream):
            pass
    assert (raised.value.kind, raised.value.status_code) == ("protocol", 200)
    assert "base_url" in raised.value.hint


def test_data_that_is_not_json_is_quoted(scripted):
    """It ends the stream."""
    client = scripted(events(piece("a"), "<oops>", finish()))
    chunks, error = broken_stream(client, modelwire.APIResponseValidationError)
    assert chunks == ["a"] and "<oops>" in error.message


def all_exceptions():
    found = [getattr(modelwire, name) for name in modelwire.__all__]
    return [one for one in found if isinstance(one, type) and issubclass(one, Exception)]


@pytest.mark.parametrize("again", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy])
@pytest.mark.parametrize("error", all_exceptions(), ids=lambda error: error.__name__)
def test_every_exception_can_be_pickled(error, again):
    """With all fields; a pool of processes raises what its worker raised."""
    fields = dict(kind="k", hint="h", code="c", status_code=400, attempts=2, _request_time=1.5)
    made = error("it failed", **fields, _report="all of it")
    same = again(made)
    assert type(same) is error
    assert (same.args, str(same), repr(same)) == (made.args, str(made), repr(made))
    assert [getattr(same, name) for name in FIELDS] == [getattr(made, name) for name in FIELDS]
    assert same.report() == "all of it" and same.request_time.year == 1970


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_raised_exception_can_be_pickled(client, protocol):
    """One that came from the core."""
    error = fails(client, modelwire.NotFoundError, model="no-such-model")
    same = pickle.loads(pickle.dumps(error, protocol))
    assert [getattr(same, name) for name in FIELDS] == [getattr(error, name) for name in FIELDS]
    assert same.report() == error.report()


def test_the_answer_and_the_request_of_an_error(scripted):
    """Under the names that httpx gives them, without the key."""
    body = {"error": {"message": "slow down", "code": "busy"}}
    busy = answer(body, 429, x_request_id="req-7", retry_after="3600")
    error = fails(scripted(busy), modelwire.RateLimitError)
    response = error.response
    assert (response.status_code, response.is_error, response.is_success) == (429, True, False)
    assert response.headers["X-Request-Id"] == "req-7" and response.headers["retry-after"]
    assert response.json() == body and json.loads(response.content) == body
    assert error.body == body["error"] and response.reason_phrase == "Too Many Requests"
    assert error.request.method == "POST" and response.request.url == error.request.url
    assert error.path.endswith("/chat/completions") and error.request.url.path == error.path
    assert KEY not in repr(response) + repr(error.request) + repr(vars(error.request))


UNREACHABLE = "http://127.0.0.1:9/v1"


def test_an_error_without_a_response_has_its_request():
    """With the address to which it was sent, also after a pickle."""
    client = modelwire.Client(base_url=UNREACHABLE, api_key=KEY, default_query={"a": "b c"})
    with pytest.raises(modelwire.APIConnectionError) as raised:
        client.models.list(extra_query={"d": 1})
    error = raised.value
    assert error.response is None and error.body is None and error.path == "/v1/models"
    for found in (error, pickle.loads(pickle.dumps(error))):
        assert found.request.method == "GET"
        assert found.request.url == UNREACHABLE + "/models?a=b+c&d=1"


def test_an_error_of_a_stream_has_the_address(scripted):
    """Of one that broke after its head."""
    client = scripted(events(piece("a"), end="cut"))
    _, error = broken_stream(client, modelwire.APIConnectionError)
    assert error.request.url == f"{client.base_url}/chat/completions"


def test_the_address_is_that_of_the_service_of_the_last_attempt(service, connect):
    """Of a client of several services, for errors and for answers."""
    full = answer({"error": {"message": "slow down"}}, 429)
    busy, well = (service.script(name, [one]) for name, one in (("busy", full), ("well", ANSWER)))
    with connect(api_key=KEY, base_urls=[busy, f"{busy}/x"], max_retries=0) as client:
        error = failure(client)
    assert error.request.url == f"{error.timing.attempts[-1].base_url}/chat/completions"
    with connect(api_key=KEY, base_urls=[busy, well]) as client:
        raw = client.chat.completions.with_raw_response.create(model="m", messages=HELLO)
    assert raw.url == f"{well}/chat/completions"


def test_an_error_of_nothing_sent_has_no_address(client):
    """A request that is rejected before it is sent."""
    with pytest.raises(modelwire.RequestError) as raised:
        client.chat.completions.create(model="m", messages=HELLO, max_tokens=0)
    assert "://" not in raised.value.request.url and raised.value.attempts == 0


def test_exceptions_made_by_programs():
    """As openai-python's are made, for a program's own tests."""
    from modelwire._answers.http import Request, Response

    response = Response(429, [("x-request-id", "r")], Request("POST", "/v1"), "{}")
    error = modelwire.RateLimitError("busy", response=response, body={"code": "c"})
    assert (error.status_code, error.request_id, error.body) == (429, "r", {"code": "c"})
    assert error.response is response and str(error) == "busy (status 429)"
    request = Request("POST", "/v1")
    assert modelwire.APITimeoutError(request).request is request
    assert modelwire.APIConnectionError(message="broken", request=request).message == "broken"
    for error in (
        modelwire.APIConnectionError(request=request),
        modelwire.APITimeoutError(request),
        modelwire.APIResponseValidationError(response, {"a": 1}),
        modelwire.LengthFinishReasonError(completion=None),
    ):
        assert len(str(error)) > 10, repr(error)
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
    error = modelwire.APIResponseValidationError(response=response, body="b", message="m")
    assert (error.response, error.body, error.message) == (response, "b", "m")
    for given in (None, request):
        error = modelwire.APIError("m", given, body=None)
        assert (str(error), error.body, error.message) == ("m", None, "m")
        assert (error.request is request) == (given is request)
    error = modelwire.APIError("m", request, body={"code": "c", "param": "p", "type": "t"})
    assert (error.code, error.param, error.type) == ("c", "p", "t")


def test_a_report_has_everything(client):
    """What support needs, as text."""
    error = fails(client, modelwire.NotFoundError, model="no-such-model")
    report = error.report()
    for value in ("no-such-model", "/v1/chat/completions", "404", error.code, error.request_id):
        assert value in report, report


def test_the_tree_of_exceptions():
    """As drawn at the top of _errors.py, with Python's own classes beside it."""
    m = modelwire
    bases = {
        m.OpenAIError: (Exception,),
        m.RequestError: (m.OpenAIError, ValueError),
        m.APIError: (m.OpenAIError,),
        m.APIStatusError: (m.APIError,),
        m.BadRequestError: (m.APIStatusError,),
        m.AuthenticationError: (m.APIStatusError,),
        m.PermissionDeniedError: (m.APIStatusError,),
        m.NotFoundError: (m.APIStatusError,),
        m.ConflictError: (m.APIStatusError,),
        m.UnprocessableEntityError: (m.APIStatusError,),
        m.RateLimitError: (m.APIStatusError,),
        m.InternalServerError: (m.APIStatusError,),
        m.APIConnectionError: (m.APIError, ConnectionError),
        m.APITimeoutError: (m.APIConnectionError, TimeoutError),
        m.APIResponseValidationError: (m.APIError,),
        m.IncompleteStreamError: (m.APIResponseValidationError,),
        m.StreamContradictionError: (m.APIResponseValidationError, RuntimeError),
        m.AnswerError: (m.OpenAIError,),
        m.LengthFinishReasonError: (m.AnswerError,),
        m.ContentFilterFinishReasonError: (m.AnswerError,),
        m.AnswerValidationError: (m.AnswerError, m.APIResponseValidationError, ValueError),
        m.MaxTurnsError: (m.AnswerError,),
    }
    assert {error: error.__bases__ for error in all_exceptions()} == bases
