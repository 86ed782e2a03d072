"""Observers, for instrumentation: told of each call in the caller's context before it is sent, and
of its end on the thread that hands on."""

import asyncio
import contextvars
import gc
import logging
import threading

import pytest

import modelwire
from conftest import KEY
from modelwire import _calls, _observe
from wire import HELLO, STALL, answer, piece, stream

pytestmark = pytest.mark.thread_unsafe("observers are the process's")

CHAT = {"model": "echo", "messages": HELLO}
WHERE = contextvars.ContextVar("where")


class Watching(_observe.Observer):
    """Keeps what it is told; does to a call what it was made to do."""

    def __init__(self, change=lambda call: None, token=True):
        self.change = change
        self.token = token
        self.begun = []
        self.ends = []

    def started(self, call):
        self.begun.append((call, threading.get_ident(), WHERE.get(None)))
        self.change(call)
        return len(self.begun) if self.token else None

    def ended(self, token, record, response):
        self.ends.append((token, record, response, threading.current_thread().name))

    def all(self):
        assert modelwire.flush_calls()
        return self.ends

    def one(self):
        (end,) = self.all()
        assert end[3] == "modelwire-calls"
        return end[:3]


@pytest.fixture
def watch():
    """Observers of all clients, until the end of the test."""

    def watch(*arguments, **named):
        made = Watching(*arguments, **named)
        _observe.observers.append(made)
        return made

    yield watch
    _observe.observers.clear()
    assert modelwire.flush_calls()
    assert not _calls._dispatcher().watched, "a token was never ended"


def test_start_and_end(client, watch):
    """In the context of the caller, and with the answer at the end."""
    watching = watch()
    WHERE.set("here")
    given = client.chat.completions.create(**CHAT, temperature=0.5)
    ((call, thread, where),) = watching.begun
    assert (thread, where) == (threading.get_ident(), "here")
    assert (call.operation, call.stream) == ("chat", False)
    assert call.fields["model"] == "echo" and call.fields["temperature"] == 0.5
    assert str(call.client.base_url) == str(client.base_url)
    token, record, response = watching.one()
    assert (token, record) == (1, given.timing)
    assert response == given and response._request_id == given._request_id
    assert response._response.url == given._response.url


def test_streams(client, watch):
    """Without their answer, unless it is asked for; the program sees no difference."""
    watching = watch()
    with client.chat.completions.create(**CHAT, stream=True) as chunks:
        plain = [chunk.to_dict() for chunk in chunks]
    token, record, response = watching.one()
    assert record == chunks.timing and response is None and record.chunk_times == ()
    watching.ends.clear()

    def ask(call):
        call.gather = call.chunk_times = True

    watching.change = ask
    with client.chat.completions.create(**CHAT, stream=True) as chunks:
        again = [chunk.to_dict() for chunk in chunks]
        assert chunks.answer is None, "the program did not ask for it"
    assert len(again) == len(plain)
    token, record, response = watching.one()
    assert response.choices[0].message.content and len(record.chunk_times) == record.chunks
    watching.ends.clear()
    with client.chat.completions.create(**CHAT, stream=True, gather=True) as chunks:
        list(chunks)
    assert watching.one()[2] == chunks.answer


def test_one_client_and_all(service, watch):
    """Copies are watched with their client; others are not."""
    settings = {"base_url": service.base_url, "api_key": KEY}
    told = []
    with (
        modelwire.Client(**settings, on_call=told.append) as one,
        modelwire.Client(**settings) as other,
    ):
        own, every = Watching(), watch()
        _observe.observe(one, own)
        one.models.list()
        one.with_options(max_retries=0).models.list()
        other.models.list()
        assert len(every.all()) == 3 and len(own.all()) == len(told) == 2
        _observe.ignore(one, own)
        one.models.list()
        assert len(every.all()) == 4 and len(own.all()) == 2 and len(told) == 3


def test_headers(scripted, watch):
    """Are sent, but for those that the program set, that cannot be, and the key's."""

    def add(call):
        call.headers.update(
            traceparent="00-1",
            Own="observer",
            Default="observer",
            Authorization="Bearer other",
            bad="a\nb",
            worse="\u20ac",
        )
        call.headers["no name"] = "x"
        call.headers[5] = 5

    watching = watch(add)
    client = scripted(answer({"id": "a", "choices": [{}]}), default_headers={"default": "client"})
    client.chat.completions.create(**CHAT, extra_headers={"own": "call"})
    watching.one()
    (request,) = scripted.requests()
    sent = {name.lower(): value for name, value in request["headers"]}
    assert sent["traceparent"] == "00-1" and sent["own"] == "call"
    assert sent["default"] == "client" and sent["authorization"] == f"Bearer {KEY}"
    assert "bad" not in sent and "worse" not in sent and "no name" not in sent


def test_exceptions_of_an_observer_are_logged(client, watch, caplog):
    """Is logged, and changes nothing; others are told."""

    def fail(call):
        raise ValueError("odd")

    failing, watching = watch(fail), watch()
    watching.ended = fail_at_the_end = lambda *told: watching.ends.append(told) or 1 / 0
    assert fail_at_the_end
    with caplog.at_level(logging.ERROR, "modelwire.calls"):
        client.models.list()
        assert modelwire.flush_calls()
    assert len(watching.ends) == 1 and failing.ends == []
    assert [one.name for one in caplog.records] == ["modelwire.calls"] * 2


def test_an_observer_without_a_token_gets_no_end(client, watch):
    """None is no token."""
    watching = watch(token=False)
    client.models.list()
    assert len(watching.begun) == 1 and watching.all() == []


def test_failures(service, scripted, watch):
    """Every token has an end: of the service, of arguments, of Python."""
    watching = watch()
    client = scripted(answer({}, 500))
    with pytest.raises(modelwire.InternalServerError) as raised:
        client.chat.completions.create(**CHAT)
    assert watching.one()[1] == raised.value.timing
    watching.ends.clear()
    with pytest.raises(modelwire.RequestError):
        client.chat.completions.create(model="", messages=HELLO)
    assert watching.one()[1].kind == "argument"
    watching.ends.clear()
    with pytest.raises(TypeError):
        client.chat.completions.create(**CHAT, metadata={"a": object()})
    _, record, response = watching.one()
    assert (record.kind, record.metered, record.attempts) == ("argument", "not_sent", ())
    assert (record.operation, record.model, response) == ("chat", "echo", None)
    assert record.elapsed >= 0 and record.to_dict()["status"] is None
    watching.ends.clear()
    with pytest.raises((TypeError, modelwire.OpenAIError)):
        client.chat.completions.create(**CHAT, extra_headers={"a": "b\nc"})
    assert watching.one()[1].kind == "argument"
    begun = len(watching.begun)
    client.close()
    with pytest.raises(modelwire.OpenAIError):
        client.chat.completions.create(**CHAT)
    assert len(watching.begun) == begun, "a closed client makes no call"


def test_abandoned_calls_are_observed(scripted, watch):
    """Closed, and dropped."""
    watching = watch()
    client = scripted(*[stream(piece("a"), STALL)] * 2)
    with client.chat.completions.create(**CHAT, stream=True) as chunks:
        next(chunks)
    assert watching.one()[1] == chunks.timing
    chunks = client.chat.completions.create(**CHAT, stream=True)
    next(chunks)
    del chunks
    gc.collect()
    assert [record.kind for _, record, _, _ in watching.all()] == ["cancelled"] * 2


async def test_tasks(service, watch):
    """Answered, cancelled, and never awaited."""
    watching = watch()
    async with modelwire.AsyncOpenAI(base_url=service.base_url, api_key=KEY) as client:

        async def ask(number):
            WHERE.set(number)
            await client.chat.completions.create(**CHAT)

        await asyncio.gather(*(ask(number) for number in range(5)))
        slow = service.script("observed-slow", [{"steps": [STALL]}] * 2)
        silent = client.with_options(base_url=slow)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(silent.chat.completions.create(**CHAT), 0.1)
        silent.chat.completions.create(**CHAT).close()
    assert {where for _, _, where in watching.begun[:5]} == set(range(5))
    kinds = [record.kind for _, record, _, _ in watching.all()]
    assert kinds == [None] * 5 + ["cancelled"], "what nobody awaits is no call"


@pytest.mark.parametrize(
    "headers", [5, [("X-A", "b")], {"Content-Length": "5"}, {"Transfer-Encoding": "chunked"}]
)
def test_headers_that_cannot_be_sent(client, watch, headers):
    """Are left out, and the call is made."""
    watching = watch(lambda call: setattr(call, "headers", headers))
    assert client.chat.completions.create(**CHAT).choices
    assert watching.one()[1].status == 200


def test_an_observer_that_interrupts(client, watch):
    """Its call is not made, and nothing of it is kept; who gave a token is told the end."""

    def interrupt(call):
        raise KeyboardInterrupt

    second = watch(interrupt)
    with pytest.raises(KeyboardInterrupt):
        client.chat.completions.create(**CHAT)
    assert not _calls._dispatcher().watched and second.all() == []
    first = Watching()
    _observe.observers.insert(0, first)
    with pytest.raises(KeyboardInterrupt):
        client.chat.completions.create(**CHAT)
    assert first.one()[1].kind == "cancelled"


def test_the_key_of_a_call(client, watch):
    """Is there to be looked for, also one of its own; and shows itself to nobody."""
    watching = watch()
    own = {"extra_headers": {"Authorization": "Bearer sk-own"}}
    with pytest.raises(modelwire.AuthenticationError):
        client.chat.completions.create(**CHAT, **own)
    client.chat.completions.create(**CHAT)
    keys = [call.key for call, _, _ in watching.begun]
    assert [key.value for key in keys] == ["sk-own", KEY] and KEY not in repr(keys)


def test_ctrl_c_before_the_call(program):
    """A handler that raises at any moment leaves no token without its end."""
    program(
        """
        import logging
        from modelwire import _observe
        logging.disable()
        begun, ended = [], []
        class Watching(_observe.Observer):
            def started(self, call):
                begun.append(1)
                return 1
            def ended(self, token, record, response):
                ended.append(record.kind)
        _observe.observers.append(Watching())
        client = modelwire.Client()
        def interrupt(number, frame):
            # One that is interrupted before it gave its token has none.
            while frame is not None:
                if frame.f_code.co_name in ("started", "begin"):
                    return
                frame = frame.f_back
            raise KeyboardInterrupt
        signal.signal(signal.SIGALRM, interrupt)
        hit = 0
        client.models.list()
        for turn in range(150):
            try:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.00005 * (turn % 60 + 1))
                    client.models.list()
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                hit += 1
        assert modelwire.flush_calls()
        assert hit and len(begun) == len(ended), (len(begun), len(ended), hit)
        # However often it was asked for whether there is one.
        assert [one.name for one in threading.enumerate()].count("modelwire-calls") == 1
        """,
    )


def test_every_call_end_is_observed_beyond_the_record_limit(watch):
    """One whose record found no room has its end all the same."""
    free = threading.Event()
    client = modelwire.Client(
        base_url="http://127.0.0.1:9/v1", api_key=KEY, on_call=lambda record: free.wait(30)
    )
    watching = watch()
    count = 4096 + _calls.RECORDS_MAX + 10
    for _ in range(count):
        with pytest.raises(modelwire.RequestError):
            client.chat.completions.create(model="", messages=HELLO)
    free.set()
    assert modelwire.flush_calls(30.0)
    assert sorted(token for token, *_ in watching.ends) == list(range(1, count + 1))
    lost = sum(record is None for _, record, _, _ in watching.ends)
    assert 10 <= lost <= _calls.RECORDS_MAX + 10


def test_a_fork_at_the_end_of_a_call(program):
    """What the parent is still to tell of calls that were never sent, the child does not."""
    output = program(
        """
        from modelwire import _observe
        children = []
        class Watching(_observe.Observer):
            def started(self, call):
                return 1
            def ended(self, token, record, response):
                os.write(1, f"{record.operation} {os.getpid() == first}\\n".encode())
                if not children:
                    free.wait(10)
                    children.append(os.fork())
        first, free = os.getpid(), threading.Event()
        _observe.observers.append(Watching())
        client = modelwire.Client()
        client.models.list()
        try:
            client.chat.completions.create(model="m", messages=[], metadata={"a": object()})
        except TypeError:
            free.set()
        assert modelwire.flush_calls() and os.waitpid(children[0], 0)
        """,
    )
    assert output == "models True\nchat True\n"


def test_a_fork(program):
    """A child ends no token of its parent."""
    program(
        """
        from modelwire import _observe
        begun, ended = [], []
        class Watching(_observe.Observer):
            def started(self, call):
                begun.append(os.getpid())
                return os.getpid()
            def ended(self, token, record, response):
                assert token == os.getpid()
                ended.append(token)
        _observe.observers.append(Watching())
        client = modelwire.Client()
        chunks = client.chat.completions.create(
            model="echo", messages=[{"role": "user", "content": "x"}], stream=True
        )
        made = os.fork()
        if made == 0:
            ended.clear()  # the stream may have come whole before the fork
            client.models.list()
            assert modelwire.flush_calls()
            os._exit(0 if ended == [os.getpid()] else 1)
        assert os.waitpid(made, 0)[1] == 0
        list(chunks)
        assert modelwire.flush_calls() and ended == [os.getpid()]
        """,
    )
