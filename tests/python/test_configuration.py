"""Settings of a client and where they come from; the key, and where it must not be seen."""

import copy
import json
import pickle
import traceback

import pytest

import modelwire
import programs
from callers import asked, headers
from conftest import KEY
from wire import ANSWER, HELLO, answer, events, finish

SECRET = "sk-echoed-9f3a71c5"


def test_without_a_base_url_there_is_no_client(service):
    """It has no built-in default; nothing is sent."""
    before = service.state()["connections"]
    with pytest.raises(modelwire.OpenAIError, match="no base URL") as raised:
        modelwire.Client(api_key=KEY)
    assert raised.value.kind == "config" and "MODELWIRE_BASE_URL" in raised.value.hint
    assert service.state()["connections"] == before


def test_without_a_key_there_is_no_client(service):
    """Nothing is sent."""
    before = service.state()["connections"]
    with pytest.raises(modelwire.OpenAIError, match="no API key") as raised:
        modelwire.Client(base_url=service.base_url)
    assert raised.value.kind == "config" and "MODELWIRE_API_KEY" in raised.value.hint
    assert service.state()["connections"] == before


def test_the_number_of_io_threads_is_set_before_the_first_request(service):
    """1 to 16; every chunk arrives, whichever thread carries it."""
    programs.run(
        """
        for wrong in (0, 17, -1):
            try:
                modelwire.set_io_threads(wrong)
            except modelwire.OpenAIError as error:
                assert error.kind == "config" and "1 to 16" in error.message, error
            else:
                raise AssertionError(wrong)
        modelwire.set_io_threads(3)
        client = modelwire.Client()
        streams = [ask(client, stream=True) for _ in range(9)]
        texts = [
            "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
            for stream in streams
        ]
        assert texts == ["x"] * 9, texts
        try:
            modelwire.set_io_threads(2)
        except modelwire.OpenAIError as error:
            assert "running" in error.message, error
        else:
            raise AssertionError
        """,
        service.base_url,
    )


@pytest.mark.parametrize(
    ("variables", "arguments", "expected"),
    [
        ({"OPENAI": "a"}, {}, "a"),
        ({"OPENAI": "a", "MODELWIRE": "b"}, {}, "b"),
        ({"OPENAI": "a", "MODELWIRE": " "}, {}, "a"),
        ({"OPENAI": "a", "MODELWIRE": "b"}, {"argument": "c"}, "c"),
    ],
)
def test_arguments_win_over_environment_variables_in_order(
    service, monkeypatch, variables, arguments, expected
):
    """An argument, then MODELWIRE_..., then OPENAI_...."""
    for prefix, value in variables.items():
        url = service.script(value, [answer({"data": []})]) if value.strip() else value
        monkeypatch.setenv(f"{prefix}_BASE_URL", url)
        monkeypatch.setenv(f"{prefix}_API_KEY", f"sk-{value}" if value.strip() else value)
    given = {}
    for value in arguments.values():
        base_url = service.script(value, [answer({"data": []})])
        given = {"api_key": f"sk-{value}", "base_url": base_url}
    modelwire.OpenAI(**given).models.list()
    [request] = service.requests(expected)
    assert dict(request["headers"])["authorization"] == f"Bearer sk-{expected}"


def test_the_environment_is_read_when_the_client_is_made(service, monkeypatch):
    """Changes of os.environ are seen; a client that was made keeps what it has."""
    monkeypatch.setenv("MODELWIRE_BASE_URL", service.base_url)
    monkeypatch.setenv("MODELWIRE_API_KEY", KEY)
    client = modelwire.Client()
    monkeypatch.setenv("MODELWIRE_API_KEY", "sk-other")
    assert len(client.models.list()) > 0


@pytest.mark.parametrize("tail", ["", "/", "//", "?tenant=7", "/?tenant=7"])
def test_a_base_url_may_have_a_slash_and_a_query(service, connect, tail):
    """A trailing slash does not matter, a query survives."""
    base_url = service.script("slash", [answer({"data": []})])
    client = connect(base_url=base_url + tail, api_key=KEY)
    client.models.list()
    [request] = service.requests("slash")
    query = "?tenant=7" if "?" in tail else ""
    assert request["target"] == f"/scripts/slash/v1/models{query}"
    assert "tenant" not in client.base_url and "tenant" not in repr(client)


@pytest.mark.parametrize(
    "base_url", ["", "not a url", "ftp://host/v1", "host/v1", "http://user:pass@host/v1", "//host"]
)
def test_a_wrong_base_url(base_url):
    """Told when the client is made, without what may be secret in it."""
    with pytest.raises(modelwire.OpenAIError) as raised:
        modelwire.Client(base_url=base_url, api_key=KEY)
    assert raised.value.kind == "config" and "pass@" not in raised.value.report()


@pytest.mark.parametrize("key", [f" {KEY}\n", f"\t{KEY}\r\n", f"\u00a0{KEY}\u2003", KEY])
def test_stray_white_space_around_a_key(service, connect, key):
    """Removed, Unicode's too."""
    models = connect(base_url=service.base_url, api_key=key).models.list()
    assert "echo" in [model.id for model in models]


@pytest.mark.parametrize(
    "key", ["", "  ", "sk-a b", "sk-a\nb", "sk-\u00e9", "Bearer sk-abc", "sk-\x00", "sk-a\udcffb"]
)
def test_an_invalid_key_is_refused(connect, key):
    """Refused when the client is made, without showing it."""
    with pytest.raises(modelwire.OpenAIError, match="api_key|API key") as raised:
        connect(base_url="http://localhost/v1", api_key=key)
    shown = repr(raised.value) + str(raised.value) + raised.value.report()
    assert not key.strip() or key.strip() not in shown
    assert raised.value.kind == "config"


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (f'"{SECRET}"', "in quotes"),
        (f"'{SECRET}'", "in quotes"),
        (f"`{SECRET}`", "in quotes"),
        (f"\u201c{SECRET}\u201d", "in quotes"),
        (f"\u2018{SECRET}\u2019", "in quotes"),
        (f"<{SECRET}>", "in angle brackets"),
        ("<API_KEY>", "in angle brackets"),
        (f"OPENAI_API_KEY={SECRET}", "a name and an equals sign"),
        (f"export OPENAI_API_KEY={SECRET}", "a name and an equals sign"),
        (f"my_token={SECRET}==", "a name and an equals sign"),
        ("$OPENAI_API_KEY", "name of a variable"),
        ("${OPENAI_API_KEY}", "name of a variable"),
        ("%OPENAI_API_KEY%", "name of a variable"),
        ("{API_KEY}", "name of a variable"),
        ("bearer", "Bearer alone"),
        (f"${{KEY:-{SECRET}}}", "name of a variable"),
        (f"{SECRET[:12]}...{SECRET[-4:]}", "incomplete"),
        (f"{SECRET[:12]}\u2026{SECRET[-4:]}", "incomplete"),
        (f"{SECRET[:12]}****{SECRET[-4:]}", "incomplete"),
    ],
    ids=lambda value: ascii(value).replace(SECRET, "key")[:24],
)
@pytest.mark.parametrize("from_environment", [False, True])
def test_a_wrongly_copied_key_is_explained(
    service, monkeypatch, connect, from_environment, key, said
):
    """In words that fit who passes it and who sets it; nothing is sent."""
    before = service.state()["connections"]
    given = {} if from_environment else {"api_key": key}
    if from_environment:
        monkeypatch.setenv("MODELWIRE_API_KEY", key)
    with pytest.raises(modelwire.OpenAIError, match=said) as raised:
        connect(base_url=service.base_url, **given)
    error = raised.value
    assert error.kind == "config" and error.metered == "not_sent"
    assert "control panel" in error.hint
    assert "api_key" in error.hint and "MODELWIRE_API_KEY" in error.hint
    shown = [str(error), repr(error), error.report(), repr(vars(error)), repr(pickle.dumps(error))]
    for part in (SECRET[:12], SECRET[-4:], "OPENAI_API", "<API"):
        assert not any(part in text for text in shown), part
    assert service.state()["connections"] == before and service.requests() == []


@pytest.mark.parametrize("key", ["not needed", "dummy key", "My API Key"])
def test_a_dummy_key_of_words_is_sent(scripted, key):
    """For services that need no key; what a model says is not taken for it."""
    said = {"choices": [{"message": {"content": f"It is {key}."}}]}
    client = scripted(answer(said), api_key=key)
    assert client.api_key == key
    chat = client.chat.completions.create(model="m", messages=HELLO)
    assert chat.choices[0].message.content == f"It is {key}."
    assert headers(scripted.requests()[0])["authorization"] == f"Bearer {key}"


def test_a_dummy_key_is_warned_of_once():
    """By a line of the log, also where nobody set logging up."""
    output = programs.run(
        """
        import logging
        seen = []
        class Kept(logging.Handler):
            def emit(self, record):
                seen.append((record.levelname, record.getMessage()))
        logging.getLogger("modelwire").addHandler(Kept())
        for key in ("not needed", "dummy key"):
            modelwire.Client(base_url="http://localhost/v1", api_key=key)
        print(seen)
        """,
        "http://localhost/v1",
    )
    [(level, message)] = eval(output)
    assert level == "WARNING" and message.startswith("api_key has spaces")


@pytest.mark.parametrize("key", ["c2stdGVzdA==", "sk-key=a", "mytokenkey=", "sk.a..b", "$2b$10$a"])
def test_a_key_may_look_odd(connect, key):
    """Equals signs, dollars and dots stand in keys too."""
    assert connect(base_url="http://localhost/v1", api_key=key).api_key == key


def echoed(status, how):
    """Answers that repeat the key wherever they can."""
    said = f"wrong key {SECRET}, or Bearer {SECRET}"
    everywhere = {"x_request_id": f"req {SECRET}", "location": f"http://x/{SECRET}"}
    bodies = {
        "object": {"error": {"message": said, "type": SECRET, "code": SECRET, "param": SECRET}},
        "escaped": json.dumps({"error": {"message": said}}).replace("sk-", "\\u0073k-"),
        "text": said,
        "html": f"<html>{said}</html>",
    }
    if how == "html":
        everywhere["content_type"] = "text/html"
    return answer(bodies[how], status, **everywhere)


def told(error):
    """Everything that an exception can be made to tell."""
    shown = [str(error), repr(error), error.report(), error.hint, repr(vars(error))]
    shown += [repr(pickle.loads(pickle.dumps(error)).__dict__), repr(pickle.dumps(error))]
    shown += traceback.format_exception(error)
    return "\n".join(shown)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("how", ["object", "escaped", "text", "html"])
@pytest.mark.parametrize("status", [200, 307, 401, 500])
def test_a_key_that_the_service_echoes_is_masked(scripted, status, how, stream):
    """In every field of the error, its text, its report and its pickle."""
    client = scripted(echoed(status, how), api_key=SECRET)
    try:
        for _ in asked(client, stream=stream):
            pass
    except modelwire.OpenAIError as error:
        assert SECRET not in told(error)
        assert "[key]" in told(error)
    else:
        pytest.fail("an answer that is none passed as one")


@pytest.mark.parametrize(
    "event",
    [
        json.dumps({"error": {"message": f"bad key {SECRET}", "code": SECRET}}),
        json.dumps({"type": "error", "message": f"bad key {SECRET}"}),
        f"no json but {SECRET}",
    ],
    ids=["error", "flat", "no_json"],  # not the key: the script is named so, and the path tells
)
def test_a_key_that_an_event_echoes_is_masked(scripted, event):
    """An error inside a stream, and data that is none."""
    client = scripted(events(event, finish()), api_key=SECRET)
    with pytest.raises(modelwire.APIError) as raised:
        list(asked(client, stream=True))
    assert SECRET not in told(raised.value) and "[key]" in told(raised.value)


def test_a_key_in_a_header_is_masked(scripted):
    """Also where nothing failed."""
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nx-request-id: "
    body = f"data: {finish()}\n\ndata: [DONE]\n\n"
    script = {"send": f"{head}{SECRET}\r\nContent-Length: {len(body)}\r\n\r\n{body}"}
    client = scripted({"steps": [script]}, api_key=SECRET)
    chat = asked(client, stream=True)
    assert SECRET not in repr(chat.headers) and chat.request_id == "[key]"


def test_no_attribute_of_a_client_shows_the_key():
    """Repr, attributes of it and its resources; a client is not pickled."""
    client = modelwire.Client(base_url="http://localhost/v1", api_key=SECRET)
    assert repr(client) == "OpenAI(base_url='http://localhost/v1')"
    objects = [client, client.chat, client.chat.completions, client.models, client._natives]
    copied = client.copy(api_key=SECRET + "2", default_headers={"x-a": "1"})
    objects += [copied, copied._natives, client._natives.at(client._url)]
    for one in objects:
        assert SECRET not in repr(one) + str(one) + repr(getattr(one, "__dict__", ""))
    for way in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError):
            way(client)


def test_open_ai_is_the_same_class():
    """One changed import."""
    assert modelwire.OpenAI is modelwire.Client


def test_a_client_as_a_context_manager(service):
    """Closed when it is left, whatever happens; close() is repeatable."""
    with pytest.raises(ZeroDivisionError):
        with modelwire.Client(base_url=service.base_url, api_key=KEY) as client:
            assert not client.is_closed() and client.base_url == service.base_url
            raise ZeroDivisionError
    assert client.is_closed() and repr(client) == "OpenAI(closed)"
    client.close()
    for use in (client.models.list, lambda: client.base_url):
        with pytest.raises(modelwire.OpenAIError, match="closed") as raised:
            use()
        assert raised.value.kind == "closed"
    assert client.usage() == {}  # what was used is known still


def test_closing_a_client_closes_its_connections(quiet):
    """Those that wait to be used again."""
    client = modelwire.Client(base_url=quiet.base_url, api_key=KEY)
    client.models.list()
    assert quiet.open_connections() == 1
    client.close()
    quiet.until_closed()


def test_default_headers(scripted):
    """Sent with every request; those of the library cannot be set."""
    client = scripted(answer({"data": []}), default_headers={"X-Tenant": "7"})
    client.models.list()
    assert ["x-tenant", "7"] in [[n.lower(), v] for n, v in scripted.requests()[0]["headers"]]
    for name in ("Authorization", "Content-Type", "bad name", "Host"):
        with pytest.raises(modelwire.OpenAIError) as raised:
            scripted(ANSWER, default_headers={name: SECRET})
        assert raised.value.kind == "config" and SECRET not in told(raised.value)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"timeout": "10"}, TypeError),
        ({"timeout": 0}, ValueError),
        ({"timeout": -1}, ValueError),
        ({"timeout": float("nan")}, ValueError),
        ({"timeout": modelwire.Timeout(idle=-0.5)}, ValueError),
        ({"timeout": modelwire.Timeout(idle="5")}, TypeError),
        ({"timeout": 1e12}, ValueError),
        ({"max_retries": -1}, ValueError),
        ({"max_retries": "3"}, TypeError),
        ({"max_retries": 1.5}, TypeError),
        ({"api_key": 7}, TypeError),
        ({"base_url": 7}, TypeError),
        ({"nonsense": 1}, TypeError),
    ],
    ids=repr,
)
def test_invalid_settings_are_refused(settings, error):
    """An OpenAIError or Python's own TypeError or ValueError, when the client is made."""
    given = {"base_url": "http://localhost/v1", "api_key": KEY, **settings}
    expected = (error, modelwire.OpenAIError) if error is ValueError else error
    with pytest.raises(expected):
        modelwire.Client(**given)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"retry": 3}, "retry takes a modelwire.Retry, not int"),
        ({"max_retries": "1"}, "max_retries takes an integer, not str"),
        ({"max_retries": 1.5}, "max_retries takes an integer, not float"),
        ({"max_retries": -1}, "max_retries is out of range"),
        ({"max_retries": -(2**70)}, "max_retries is out of range"),
        (
            {"retry": modelwire.Retry(statuses=429)},
            "statuses takes a list of HTTP statuses, not int",
        ),
        ({"retry": modelwire.Retry(statuses="429")}, "statuses takes .*, not str"),
        ({"retry": modelwire.Retry(statuses=["429"])}, "statuses takes HTTP statuses, not str"),
        ({"retry": modelwire.Retry(first_wait=-1)}, "^first_wait cannot be -1 seconds"),
        ({"retry": modelwire.Retry(adaptive="no")}, "adaptive takes True or False, not str"),
        ({"timeout": modelwire.Timeout(idle="1")}, "idle takes seconds or None, not str"),
        ({"timeout": modelwire.Timeout(total=10**400)}, "total is out of range"),
        ({"limits": modelwire.Limits(connections_max=-1)}, "connections_max is out of range"),
        ({"limits": modelwire.Limits(headers_max="9")}, "headers_max takes an integer, not str"),
        ({"organization": 5}, "organization takes a str, not int"),
        ({"project": ["a"]}, "project takes a str, not list"),
        ({"proxy": 5}, "proxy takes a str, not int"),
        ({"http2": None}, "http2 takes True or False, not NoneType"),
        ({"stream_only": None}, "stream_only takes True or False, not NoneType"),
        ({"idempotency_header": 5}, "idempotency_header takes a str, not int"),
        ({"default_headers": "x-a: b"}, "default_headers takes a dict, not str"),
        ({"default_query": 5}, "default_query takes a dict, not int"),
    ],
    ids=repr,
)
def test_an_error_names_the_setting(settings, says):
    """And what it takes, but not the value, which may be the key."""
    with pytest.raises((TypeError, ValueError), match=says):
        modelwire.Client(**{"base_url": "http://localhost/v1", "api_key": KEY, **settings})


def test_an_error_names_the_option_of_a_call(scripted):
    client = scripted(ANSWER)
    for name, value in (("extra_body", [1]), ("extra_headers", ["a"]), ("extra_query", 5)):
        with pytest.raises(TypeError, match=f"{name} takes a dict, not {type(value).__name__}"):
            asked(client, **{name: value})
    for tools in (None, print):
        with pytest.raises(TypeError, match="tools takes a list of functions, not "):
            client.chat.completions.run_tools(model="m", messages=HELLO, tools=tools)
    with pytest.raises(TypeError, match="api_key takes a str, not int"):
        modelwire.Client(base_url="http://localhost/v1", api_key=KEY).api_key = 5
    for key in (None, 5):
        with pytest.raises(TypeError, match="function given as api_key returned a .*, not a str"):
            asked(client.copy(api_key=lambda key=key: key))
    assert scripted.requests() == []


@pytest.mark.parametrize("kind", [set, tuple, iter])
def test_statuses_are_any_iterable(scripted, kind):
    """Also one that can be read only once, for a client and its copies."""
    busy = answer({}, 429, retry_after="0")
    retry = modelwire.Retry(statuses=kind([429]), first_wait=0)
    client = scripted(busy, ANSWER, busy, ANSWER, retry=retry)
    asked(client)
    asked(client.copy(max_retries=1))
    assert len(scripted.requests()) == 4


@pytest.mark.parametrize(
    ("timeout", "text"),
    [
        (modelwire.Timeout(), "Timeout()"),
        (modelwire.Timeout(idle=5, total=None), "Timeout(idle=5, total=None)"),
        (modelwire.Timeout(connect=0.5, first_byte=1), "Timeout(connect=0.5, first_byte=1)"),
        (modelwire.Timeout(5), "Timeout(connect=5, first_byte=5, idle=5)"),
        (
            modelwire.Timeout(60, read=5.0, write=10.0, connect=2.0, pool=None),
            "Timeout(pool=None, connect=2.0, first_byte=5.0, idle=5.0)",
        ),
    ],
)
def test_timeouts_show_what_was_set(timeout, text):
    assert repr(timeout) == text
    modelwire.Client(base_url="http://localhost/v1", api_key=KEY, timeout=timeout)
