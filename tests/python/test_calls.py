"""What calls tell at their ends: to `on_call`, on answers, errors and streams."""

import copy
import datetime
import gc
import json
import logging
import pathlib
import pickle
import threading
import time
import weakref
from functools import partial

import pytest

import modelwire
from callers import asked
from conftest import KEY, eventually, together
from modelwire import _calls
from wire import HELLO, SILENCE, STALL, answer, piece, stream

CHAT = {"model": "echo", "messages": HELLO}
RESPONSE = {"model": "echo", "input": "One two."}
FOLDER = pathlib.Path(__file__).parent.parent / "vectors" / "records"
VECTORS = json.loads((FOLDER / "calls.json").read_text())


class Told(list):
    """What `on_call` was told, once all was handed on."""

    def all(self):
        assert modelwire.flush_calls()
        return self

    def one(self):
        (record,) = self.all()
        return record


@pytest.fixture
def told():
    return Told()


@pytest.fixture
def listening(service, connect, told):
    """A client of the played service that tells of its calls."""
    with connect(base_url=service.base_url, api_key=KEY, on_call=told.append) as client:
        yield client


# What is told.


def shown(record, name, expected):
    """A member of a record, as the vectors write it."""
    found = record[name]
    if name == "attempts":
        return [[one["status"], one["kind"]] for one in found]
    if name == "waits":
        return [one["reason"] for one in found]
    if name == "chunk_times":
        return len(found)
    if name == "path":
        return expected if found.endswith(expected) else found
    if name == "usage" and found is not None:
        return {one: found[one] for one in expected or found}
    return found


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_call_records_match_the_vectors(scripted, told, vector):
    """To on_call, and as the timing of the answer, of the error and of the stream: the same."""
    options, way = vector.get("options", {}), vector["way"]
    retry = modelwire.Retry(max_retries=options.get("max_retries", 2), first_wait=0.001)
    settings = {"retry": retry, "chunk_times": options.get("chunk_times", False)}
    client = scripted(*vector["exchanges"], on_call=told.append, **settings)
    create = {
        "models": client.models.list,
        "chat": client.chat.completions.create,
        "responses": client.responses.create,
    }[vector["operation"]]
    arguments = dict(vector["body"] or {})
    if way in ("stream", "gather", "cancel"):
        arguments.update(stream=True, gather=way == "gather")
    if way == "underneath":
        arguments["stream_only"] = True
    chunks = None
    try:
        given = create(**arguments)
        if "stream" in arguments:
            chunks = given
            for _ in chunks:
                if way == "cancel":
                    chunks.close()
        timing = given.timing
    except modelwire.OpenAIError as error:
        timing = error.timing
    record = told.one()
    assert isinstance(record, modelwire.CallRecord) and record == timing
    assert chunks is None or chunks.timing == record
    known = record.to_dict()
    expected = vector["record"]
    assert {name: shown(known, name, expected[name]) for name in expected} == expected
    ends = [time for one in record.attempts for time in (one.start, one.end)]
    assert sorted(ends) == ends and all(end <= record.elapsed for end in ends)
    now = datetime.datetime.now(datetime.timezone.utc)
    assert record.start.tzinfo is not None and abs((now - record.start).total_seconds()) < 3600
    assert KEY not in repr(record)


def test_records_are_values(listening):
    """They are frozen, and equal where they say the same; copies and pickles are, too."""
    record = listening.chat.completions.create(**CHAT).timing
    for same in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert same == record and hash(same) == hash(record) and repr(same) == repr(record)
    assert record != listening.chat.completions.create(**CHAT).timing
    assert record != 5 and record.attempts[0] != record
    with pytest.raises(AttributeError):
        record.model = "other"
    with pytest.raises(AttributeError):
        record.attempts[0].status = 1
    with pytest.raises(AttributeError):
        _ = record.no_such_field
    text = repr(record)
    assert text.startswith("CallRecord(start=20") and "model='echo'" in text
    assert "cancelled_by" not in text, "what is not known is not shown"
    plain = record.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["attempts"][0]["status"] == 200 and plain["usage"]["total_tokens"] > 0
    assert datetime.datetime.fromisoformat(plain["start"]) == record.start
    assert KEY not in text + str(plain)


def test_a_stream_is_recorded_at_its_end(listening, told):
    """Not before; with its chunks."""
    for create, given in (
        (listening.chat.completions.create, CHAT),
        (listening.responses.create, RESPONSE),
    ):
        with create(**given, stream=True) as stream:
            assert stream.timing is None
            next(stream)
            assert stream.timing is None
            chunks = 1 + sum(1 for _ in stream)
        record = told.one()
        assert record == stream.timing and record.streamed
        assert record.chunks == chunks and record.chunk_times == ()
        assert 0 < record.first_chunk <= record.last_chunk <= record.elapsed
        assert record.kind is None and record.finish_reason is not None
        told.clear()


def test_failed_calls_are_recorded(scripted, told, service):
    """Of a connection, which is pickled; of Python's arguments none."""
    nobody = modelwire.Client(
        base_url="http://127.0.0.1:9/v1", api_key=KEY, max_retries=0, on_call=told.append
    )
    with pytest.raises(modelwire.APIConnectionError) as raised:
        nobody.models.list()
    record = told.one()
    assert record == raised.value.timing and record.metered == "not_sent"
    assert (record.kind, record.status) == ("connect", None)
    assert pickle.loads(pickle.dumps(raised.value)).timing == record

    told.clear()
    with pytest.raises(modelwire.RequestError) as raised:
        nobody.chat.completions.create(model="", messages=HELLO)
    record = told.one()
    assert record == raised.value.timing and (record.kind, record.attempts) == ("argument", ())
    assert record.attempts_count == 0 and record.bytes_out == 0

    told.clear()
    with pytest.raises(TypeError):
        asked(nobody, no_such_argument=1)
    with pytest.raises(TypeError):
        asked(nobody, metadata={"a": object()})
    assert told.all() == [], "what is wrong as a call of Python is none"
    with pytest.raises(modelwire.OpenAIError) as raised:
        modelwire.Client(base_url="no url", api_key=KEY)
    assert raised.value.timing is None


def test_calls_that_cannot_be_parsed_are_recorded(modelwire_service, told):
    """The error of `parse` has what the call told."""
    import dataclasses

    @dataclasses.dataclass
    class Answer:
        number: int

    modelwire_service.queue("no JSON at all")
    client = modelwire.OpenAI(
        base_url=modelwire_service.base_url,
        api_key=modelwire_service.api_key,
        on_call=told.append,
    )
    with pytest.raises(modelwire.AnswerValidationError) as raised:
        client.chat.completions.parse(**CHAT, response_format=Answer)
    assert raised.value.timing == told.one() and told[0].kind is None


def test_the_services_own_field_stays(scripted):
    """As an item, and in what is dumped."""
    client = scripted(answer({"id": "a", "choices": [{}], "timing": {"total": 5}}))
    found = client.chat.completions.create(**CHAT)
    assert isinstance(found.timing, modelwire.CallRecord)
    assert found["timing"] == {"total": 5} and found.model_extra["timing"] == {"total": 5}
    assert found.to_dict()["timing"] == {"total": 5}


def test_pickled_and_parsed_answers_have_no_timing(client):
    """Nor a copy by text; and nobody finds it in a dump."""
    found = client.chat.completions.create(**CHAT)
    assert found.timing.status == 200 and "timing" not in found.to_dict()
    assert pickle.loads(pickle.dumps(found)).timing is None
    assert modelwire.types.chat.ChatCompletion.model_validate(found.to_dict()).timing is None


# Every way to call.


def test_raw_answers_and_helpers_are_recorded_once(listening, told):
    """Each call once, whatever stands around it."""
    raw = listening.chat.completions.with_raw_response.create(**CHAT)
    assert raw.timing == raw.parse().timing == told.one()
    told.clear()
    raw = listening.with_raw_response.models.list()
    assert raw.timing == told.one()
    told.clear()
    with listening.responses.with_streaming_response.create(**RESPONSE, stream=True) as opened:
        assert opened.timing is None
        list(opened.iter_lines())
        assert opened.timing == told.one()
    told.clear()
    with listening.chat.completions.stream(**CHAT) as stream:
        stream.until_done()
        assert stream.timing == told.one() and told[0].streamed
    told.clear()
    copied = listening.with_options(max_retries=0, default_headers={"X-A": "b"})
    copied.chat.completions.create(**CHAT)
    copied.with_options(base_url=str(listening.base_url) + "/").models.list()
    assert [record.operation for record in told.all()] == ["chat", "models"]


def test_each_turn_of_a_tool_run_is_recorded(modelwire_service, told):
    """A turn is a call."""
    from modelwire.testing import text

    def weather(city: str) -> str:
        """The weather."""
        return "sunny"

    asked = text(tool_calls=[("weather", {"city": "Rome"})])
    modelwire_service.queue(asked, "Sunny.")
    client = modelwire.OpenAI(
        base_url=modelwire_service.base_url,
        api_key=modelwire_service.api_key,
        on_call=told.append,
    )
    client.chat.completions.run_tools(**CHAT, tools=[weather]).get_final_completion()
    assert [record.finish_reason for record in told.all()] == ["tool_calls", "stop"]


def test_an_httpx_client_and_a_traced_one(service, told):
    """Each call once, where hooks or a tracer stand between."""
    httpx = pytest.importorskip("httpx")
    seen = []
    client = modelwire.OpenAI(
        base_url=service.base_url,
        api_key=KEY,
        http_client=httpx.Client(event_hooks={"response": [seen.append]}),
        on_call=told.append,
    )
    client.models.list()
    assert len(seen) == 1 and told.one().operation == "models"
    told.clear()
    request = client.request
    client.request = lambda **named: request(**named)
    list(client.chat.completions.create(**CHAT, stream=True))
    assert told.one().streamed


def test_registered_openai_classes_record_the_same(program):
    """Answers, errors and streams that are of openai's classes tell the same."""
    pytest.importorskip("openai")
    output = program(
        """
        modelwire.register_openai_classes()
        told = []
        client = modelwire.OpenAI(on_call=told.append)
        answer = ask(client)
        try:
            ask(client, model="none")
        except modelwire.NotFoundError as error:
            failed = error.timing
        modelwire.flush_calls()
        print(told == [answer.timing, failed])
        """,
    )
    assert output == "True\n"


# Calls that are left.


def test_a_closed_stream_is_recorded(scripted, told):
    """By whom it was ended, to the stream as well."""
    client = scripted(stream(piece("a"), STALL), on_call=told.append)
    chunks = client.chat.completions.create(**CHAT, stream=True)
    next(chunks)
    chunks.close()
    record = told.one()
    assert (record.kind, record.cancelled_by, record.chunks) == ("cancelled", "program", 1)
    assert chunks.timing == record and list(chunks) == [] and chunks.timing == record


@pytest.mark.thread_unsafe("a thread collects no garbage while another does")
def test_a_dropped_stream_is_recorded(scripted, told):
    """Dropped, and in a cycle that is collected."""
    stalled = stream(piece("a"), STALL)
    client = scripted(stalled, stalled, on_call=told.append)
    chunks = client.chat.completions.create(**CHAT, stream=True)
    next(chunks)
    del chunks
    gc.collect()
    assert told.one().cancelled_by in ("dropped", "program")
    cycle = [client.chat.completions.create(**CHAT, stream=True)]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert [record.kind for record in told.all()] == ["cancelled"] * 2


@pytest.mark.thread_unsafe("a thread collects no garbage while another does")
def test_a_stream_outlives_its_client(service, told):
    """Of a client that is dropped at once, and of one that was closed."""
    settings = {"base_url": service.base_url, "api_key": KEY}
    chunks = modelwire.Client(**settings, on_call=told.append).chat.completions.create(
        **CHAT, stream=True
    )
    gc.collect()
    list(chunks)
    assert told.one() == chunks.timing
    told.clear()
    with modelwire.Client(**settings, on_call=told.append) as client:
        chunks = client.chat.completions.create(**CHAT, stream=True)
    list(chunks)
    assert told.one() == chunks.timing


def test_a_call_ended_by_ctrl_c_is_recorded(program):
    """Of the call that it ended."""
    output = program(
        """
        told = []
        client = modelwire.Client(on_call=told.append)
        signal.setitimer(signal.ITIMER_REAL, 1.0)  # the call has surely begun
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            client.models.list()
        except KeyboardInterrupt:
            pass
        modelwire.flush_calls()
        print([(record.kind, record.cancelled_by) for record in told])
        """,
        SILENCE,
    )
    assert output == "[('cancelled', 'dropped')]\n"


# What a function may do.


def test_on_one_thread_in_order(service):
    """Of many threads and clients, each call once, in the order in which they ended."""
    told, threads = [], set()

    def on_call(record):
        told.append(record)
        threads.add(threading.current_thread().name)

    def work(client, ids):
        for turn in range(10):
            given = client.chat.completions.create(
                model="echo", messages=[{"role": "user", "content": f"{turn}"}]
            )
            ids.append(given._request_id)

    def measure():
        told.clear()
        made = [[] for _ in range(8)]
        together(*[partial(work, clients[number % 2], ids) for number, ids in enumerate(made)])
        assert modelwire.flush_calls()
        ids = [record.request_id for record in told]
        assert len(ids) == len(set(ids)) == 80
        for of_thread in made:
            assert [one for one in ids if one in of_thread] == of_thread
        ends = [record.start + datetime.timedelta(seconds=record.elapsed) for record in told]
        slack = datetime.timedelta(seconds=0.05)
        return all(sooner <= later + slack for sooner, later in zip(ends, ends[1:]))

    settings = {"base_url": service.base_url, "api_key": KEY, "on_call": on_call}
    clients = [modelwire.Client(**settings) for _ in range(2)]
    # A thread may stand still between the end of its call and the record of it.
    assert any(measure() for _ in range(3))
    assert threads == {"modelwire-calls"}


def test_one_call_after_the_other(listening, told):
    """A record is there before the caller sees the end."""
    for number in range(50):
        given = listening.chat.completions.create(**CHAT)
        assert told.all()[number] == given.timing
    assert len(told) == 50


def test_a_function_that_raises(scripted, caplog):
    """Is logged, and told of the next call."""
    told = []

    def on_call(record):
        told.append(record)
        raise (SystemExit if len(told) == 1 else ValueError)("odd")

    client = scripted(*[answer({"id": "a", "choices": [{}]})] * 3, on_call=on_call)
    with caplog.at_level(logging.ERROR, "modelwire.calls"):
        for _ in range(3):
            assert client.chat.completions.create(**CHAT).id == "a"
        assert modelwire.flush_calls()
    assert len(told) == 3
    logged = [record for record in caplog.records if record.name == "modelwire.calls"]
    assert len(logged) == 3 and "on_call failed" in logged[0].getMessage()


class _Raising(logging.Handler):
    """A handler of the program that cannot write."""

    def emit(self, record):
        raise OSError("no room on the device")


@pytest.fixture
def no_log():
    """A program whose log of failed functions raises itself."""
    logger, handler = logging.getLogger("modelwire.calls"), _Raising()
    logger.addHandler(handler)
    yield
    logger.removeHandler(handler)


def test_a_function_that_raises_where_logging_raises(scripted, no_log):
    """All are told, those that waited too; nobody waits for ever for one that was lost."""
    told = []

    def on_call(record):
        told.append(record)
        # clock: the slowness itself
        time.sleep(0.02)
        raise ValueError("odd")

    client = scripted(*[answer({"id": "a", "choices": [{}]})] * 5, on_call=on_call)
    for _ in range(5):
        client.chat.completions.create(**CHAT)
    assert modelwire.flush_calls() and len(told) == 5


def test_a_function_that_sleeps(scripted):
    """No call waits for it; a close waits, but not for ever."""
    free, told = threading.Event(), []

    def on_call(record):
        free.wait(120)
        told.append(record)

    client = scripted(*[answer({"id": "a", "choices": [{}]})] * 20, on_call=on_call)
    before = time.monotonic()
    for _ in range(20):
        client.chat.completions.create(**CHAT)
    # clock: half of the wait that is not to be waited for
    assert time.monotonic() - before < 60 and told == []
    assert not modelwire.flush_calls(0.05)
    before = time.monotonic()
    client.close()
    # clock: beside the two minutes that the function waits
    assert time.monotonic() - before < _calls.END_MAX + 60 and told == []
    free.set()
    assert modelwire.flush_calls() and len(told) == 20


def test_a_function_that_calls(service, told):
    """With the same client, whose calls it is told of too; and that closes it."""

    def on_call(record):
        told.append((record, modelwire.flush_calls(5.0)))
        if len(told) < 3:
            client.models.list()
        elif len(told) == 3:
            client.close()

    client = modelwire.Client(base_url=service.base_url, api_key=KEY, on_call=on_call)
    client.chat.completions.create(**CHAT)
    eventually("all were told", lambda: len(told) == 3)
    assert [record.operation for record, _ in told] == ["chat", "models", "models"]
    eventually("it was closed", client.is_closed)
    assert modelwire.flush_calls()


def test_an_invalid_on_call_is_refused(service):
    """Told when the client is made."""
    settings = {"base_url": service.base_url, "api_key": KEY}

    async def awaited(record):
        pass

    for wrong in (5, "print", awaited):
        with pytest.raises(TypeError, match="on_call takes a"):
            modelwire.Client(**settings, on_call=wrong)


def test_records_beyond_the_limit_are_counted(caplog, told):
    """What found no room is counted and told; all others come."""
    free = threading.Event()

    def on_call(record):
        free.wait(120)
        told.append(record)

    client = modelwire.Client(base_url="http://127.0.0.1:9/v1", api_key=KEY, on_call=on_call)
    for _ in range(4096 + _calls.RECORDS_MAX + 10):
        with pytest.raises(modelwire.RequestError):
            client.chat.completions.create(model="", messages=HELLO)
    with caplog.at_level(logging.WARNING, "modelwire.calls"):
        free.set()
        assert modelwire.flush_calls(30.0)
    assert 4096 <= len(told) <= 4096 + _calls.RECORDS_MAX
    (said,) = [one.getMessage() for one in caplog.records if one.name == "modelwire.calls"]
    assert said.startswith(f"{4096 + _calls.RECORDS_MAX + 10 - len(told)} calls ended")


@pytest.mark.thread_unsafe("a thread collects no garbage while another does")
def test_clients_and_callbacks_are_not_kept_alive(service, told):
    """Neither clients whose function holds them, nor what they told."""
    made = []
    for _ in range(3):
        client = modelwire.Client(base_url=service.base_url, api_key=KEY)

        def on_call(record, client=client):
            told.append(client)

        client = modelwire.Client(base_url=service.base_url, api_key=KEY, on_call=on_call)
        on_call.__defaults__ = (client,)
        client.models.list()
        assert modelwire.flush_calls()
        made.append(weakref.ref(client))
        made.append(weakref.ref(on_call))
    told.clear()
    del client, on_call

    def are_gone():
        gc.collect()
        return [one() for one in made] == [None] * len(made)

    eventually("clients and functions are gone", are_gone)
    dispatcher = _calls._dispatcher()
    eventually("no function is kept", lambda: not dispatcher._kept and not len(dispatcher._clients))
    assert not dispatcher.watched


# Processes.


def test_records_are_delivered_when_a_program_ends(program):
    """What is due, and the calls that its end ended."""
    output = program(
        """
        def on_call(record):
            # clock: the slowness itself
            time.sleep(0.05)
            print(record.kind, record.cancelled_by, flush=True)
        client = modelwire.Client(on_call=on_call)
        ask(client)
        chunks = ask(client, stream=True)
        next(chunks)
        """,
        answer({"id": "a", "choices": [{}]}),
        stream(piece("a"), STALL),
    )
    assert output == "None None\nshutdown shutdown\n"


def test_a_program_ends_in_time(program):
    """Whatever the function does: sleeps, calls, or logs what it cannot."""
    for source in (
        # clock: the slowness itself
        "time.sleep(60)",
        "client.models.list()",
        "raise SystemExit",
        "sys.exit(5)",
        "modelwire.flush_calls(60)",
    ):
        before = time.monotonic()
        program(
            f"""
            import logging
            logging.disable()
            def on_call(record):
                {source}
            client = modelwire.Client(on_call=on_call)
            client.models.list()
            """,
        )
        # clock: below the 60 s that the function takes
        assert time.monotonic() - before < 50, source


def test_close_waits_for_pending_records(program):
    """Of a client of a process that ends without a word."""
    output = program(
        """
        def on_call(record):
            # clock: the slowness itself
            time.sleep(0.02)
            print(record.operation, flush=True)
        with modelwire.Client(on_call=on_call) as client:
            for _ in range(5):
                client.models.list()
        os._exit(0)
        """,
    )
    assert output == "models\n" * 5


def test_forks(program):
    """A child is told of its own calls, on a thread of its own; the parent of its own."""
    source = """
    told = []
    client = modelwire.Client(on_call=told.append)

    def work():
        count = len(told)
        assert modelwire.flush_calls() and len(told) == count
        ask(client)
        assert modelwire.flush_calls()
        assert len(told) == count + 1, told
        names = [one.name for one in threading.enumerate()]
        assert names.count("modelwire-calls") == 1, names
        assert in_child(lambda: of_child(count))

    def of_child(count):
        ask(client)
        client.close()
        assert len(told) == count + 2

    assert in_child(work)
    ask(client)
    stream = ask(client, stream=True)
    next(stream)
    assert in_child(work)
    list(stream)
    assert modelwire.flush_calls() and len(told) == 2, told
    assert told[1] == stream.timing

    def others():
        del globals()["stream"]
        gc.collect()
        assert modelwire.flush_calls() and len(told) == 2

    assert in_child(others)
    """
    program(source)


def test_a_fork_in_a_function(program):
    """The child hands on nothing of its parent's; it may call."""
    source = """
    told = []

    def of_child():
        ask(modelwire.Client(on_call=lambda record: told.append("other")))
        assert modelwire.flush_calls() and told == ["chat", "other"]

    def on_call(record):
        told.append(record.operation)
        if len(told) == 1:
            told.append(in_child(of_child))

    client = modelwire.Client(on_call=on_call)
    ask(client)
    client.models.list()
    assert modelwire.flush_calls(15)
    assert told == ["chat", True, "models"], told
    """
    program(source)


def test_many_forks_while_calls_are_recorded(program):
    """At any moment, with threads that call meanwhile."""
    source = """
    told = []
    client = modelwire.Client(on_call=told.append)
    end = threading.Event()

    def work():
        while not end.is_set():
            ask(client)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()

    def of_child():
        told.clear()
        ask(client)
        assert modelwire.flush_calls() and len(told) == 1, told

    try:
        for _ in range(10):
            assert in_child(of_child)
    finally:
        end.set()
    for thread in threads:
        thread.join()
    """
    program(source, flags=("-W", "ignore"))


@pytest.mark.parametrize("library", ["gevent", "eventlet"])
def test_greenlets(program, library):
    """Where gevent or eventlet replaced threads."""
    from test_greenlets import PATCH

    output = program(
        """
        told = []
        def on_call(record):
            # clock: the slowness itself
            sleep(0.01)
            told.append(record.operation)
        client = modelwire.Client(on_call=on_call)
        wait([spawn(client.models.list) for _ in range(5)])
        print(modelwire.flush_calls(), told)
        client.models.list()
        client.close()
        print(len(told))
        """,
        before=PATCH[library],
    )
    assert output == f"True {['models'] * 5}\n6\n"


@pytest.mark.parametrize("library", ["gevent", "eventlet"])
def test_calls_in_threads_of_a_pool(program, library):
    """Where nothing begins that lasts, whoever waits hands on; then the main thread's."""
    from test_greenlets import PATCH

    run = {
        "gevent": "gevent.get_hub().threadpool.apply",
        "eventlet": "eventlet.tpool.execute",
    }[library]
    output = program(
        f"""
        run = {run}
        told = []
        def on_call(record):
            modelwire.flush_calls(60)  # waits for nothing here
            told.append(record.operation)
        client = modelwire.Client(on_call=on_call)
        run(client.models.list)
        assert run(modelwire.flush_calls) and told == ["models"], told
        run(client.models.list)
        assert modelwire.flush_calls() and told == ["models"] * 2, told
        run(client.models.list)
        assert run(modelwire.flush_calls) and told == ["models"] * 3, told
        run(client.models.list)
        client.close()
        print(len(told))
        """,
        before=PATCH[library],
    )
    assert output == "4\n"


def test_a_greenlet_that_is_killed(program):
    """As programs end all of theirs; the next one tells what it held."""
    output = program(
        """
        import gc, gevent
        told = []
        def on_call(record):
            told.append(record)
            # clock: the slowness itself
            time.sleep(0.1)
        client = modelwire.Client(on_call=on_call)
        for _ in range(5):
            client.models.list()
        while not told:
            # clock: between two looks
            gevent.sleep(0.01)
        gevent.killall([one for one in gc.get_objects() if isinstance(one, gevent.Greenlet)])
        client.models.list()
        print(modelwire.flush_calls(), len(told))
        """,
        before="from gevent import monkey\nmonkey.patch_all()\n",
    )
    assert output == "True 6\n"


def test_a_handler_of_a_signal_that_calls(program):
    """At whatever moment, also where its thread is about to be told of."""
    output = program(
        """
        from modelwire import _calls
        told = []
        def call(number, frame):
            modelwire.Client(on_call=told.append).models.list()
        signal.signal(signal.SIGALRM, call)
        with _calls._dispatcher()._lock:
            signal.raise_signal(signal.SIGALRM)
        print(modelwire.flush_calls(), len(told))
        """,
    )
    assert output == "True 1\n"


def test_bulk_rows_are_recorded(service, told):
    """A row is a call of its client."""
    with modelwire.OpenAI(base_url=service.base_url, api_key=KEY, on_call=told.append) as client:
        rows = [{"model": "echo", "messages": HELLO} for _ in range(3)]
        done = list(modelwire.bulk(rows, client=client))
    assert len(done) == 3
    assert [record.operation for record in told.all()] == ["chat"] * 3


@pytest.mark.thread_unsafe("a thread collects no garbage while another does")
def test_the_last_bulk_rows_of_a_dropped_client_are_recorded(service):
    """Their records wait behind a function that sleeps, when nobody has the client any more."""
    free, told = threading.Event(), []

    def on_call(record):
        free.wait(120)
        told.append(record)

    client = modelwire.OpenAI(base_url=service.base_url, api_key=KEY, on_call=on_call)
    list(modelwire.bulk([{"model": "echo", "messages": HELLO}] * 3, client=client))
    del client
    gc.collect()
    assert told == []
    free.set()
    assert modelwire.flush_calls() and len(told) == 3
