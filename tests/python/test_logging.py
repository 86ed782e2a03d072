"""What the library logs, through Python's logging."""

import logging
import threading

import pytest

import modelwire
import programs
from callers import asked
from conftest import KEY, eventually
from wire import ANSWER, HELLO, STREAM_HEAD, answer, finish, piece

pytestmark = pytest.mark.thread_unsafe("loggers are the process's")

SECRET = "sk-logged-5c1f9e22"


class Kept(logging.Handler):
    """Keeps what it is handed, and by whom."""

    def __init__(self):
        super().__init__()
        self.records = []
        self.threads = set()

    def emit(self, record):
        self.records.append(record)
        self.threads.add(threading.current_thread().name)

    def text(self):
        return "\n".join(f"{record.name} {record.getMessage()}" for record in self.records)


@pytest.fixture
def kept():
    """A handler of the logger "modelwire", which is set to DEBUG."""
    logger, handler = logging.getLogger("modelwire"), Kept()
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    yield handler
    modelwire.disable_logging()
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)
    logger.propagate = True


@pytest.mark.sync_alone("the core writes the log, the same for both clients")
def test_calls_are_logged_where_logging_is_set_up(scripted, kept):
    """By a thread of Python's own; attempts and failures, and never the key."""
    echo = answer({"error": {"message": f"no such key: {SECRET}"}}, 401, x_request_id=SECRET)
    client = scripted(answer({}, 429), echo, api_key=SECRET)
    with pytest.raises(modelwire.AuthenticationError):
        asked(client)
    eventually("the failure is logged", lambda: "call failed" in kept.text())
    assert SECRET not in kept.text() and HELLO[0]["content"] not in kept.text()
    assert {record.name.split(".")[0] for record in kept.records} == {"modelwire"}
    assert kept.threads == {"modelwire-log"}
    assert all(record.created > 1_700_000_000 for record in kept.records)


@pytest.mark.parametrize("kind", ["models", "chat", "responses", "stream"])
def test_a_call_is_one_line_at_info(scripted, kept, kind):
    """With method, URL, status, request id and time; without query and key."""
    logging.getLogger("modelwire").setLevel(logging.INFO)
    body = {"data": [], "choices": [{}], "output": []}
    sent = answer(body, x_request_id="req-7")
    client = scripted(sent, api_key=SECRET, default_query={"q": SECRET})
    calls = {
        "models": client.models.list,
        "chat": lambda: asked(client),
        "responses": lambda: client.responses.create(model="m", input="x"),
        "stream": lambda: list(
            client.chat.completions.create(model="m", messages=HELLO, stream=True)
        ),
    }
    calls[kind]()
    eventually("the end is logged", lambda: kept.records)
    modelwire.disable_logging()
    [record] = kept.records
    assert (record.name, record.levelname) == ("modelwire", "INFO")
    path = {"models": "models", "responses": "responses"}.get(kind, "chat/completions")
    method, url = "GET" if kind == "models" else "POST", f"{client.base_url}/{path}"
    assert record.getMessage().startswith(
        f'call done method="{method}" url="{url}" status=200 request_id="req-7" attempts=1 elapsed'
    )


@pytest.mark.sync_alone("the core writes the log, the same for both clients")
def test_loggers_have_the_names_of_areas(scripted, kept):
    """No names of the libraries below, and no line 0."""
    client = scripted(ANSWER)
    asked(client)
    eventually("the end is logged", lambda: "call done" in kept.text())
    assert {record.name for record in kept.records} == {"modelwire", "modelwire.connections"}
    assert all(record.lineno > 0 and record.filename == "_log.py" for record in kept.records)
    modelwire._log.tell((4, "rustls::client::hs", "resumed", 0.0))
    modelwire._log.tell((4, "some_crate", "text", 0.0))
    assert [one.name for one in kept.records[-2:]] == ["modelwire.tls", "modelwire.transport"]


def test_a_common_pause_is_logged_once(service, kept):
    """At INFO, with its length and how many calls may be on their way then."""
    base_url = service.script("pause", [answer({}, 429, retry_after_ms="20"), ANSWER])
    retry = modelwire.Retry(adaptive=True, first_wait=0.01, jitter=0.0)
    client = modelwire.Client(base_url=base_url, api_key=KEY, retry=retry)
    asked(client)
    eventually("the end is logged", lambda: "call done" in kept.text())
    pauses = [one for one in kept.records if "pausing after a rate limit" in one.getMessage()]
    assert [one.levelno for one in pauses] == [logging.INFO]
    assert "wait_ms=20" in pauses[0].getMessage() and "allowed=8" in pauses[0].getMessage()


def test_levels(scripted, kept):
    """A retry is INFO; a failure is a WARNING with all that matters."""
    refused = answer({"error": {"message": SECRET, "code": f"c {SECRET}"}}, 429)
    retry = modelwire.Retry(max_retries=1, first_wait=0.001)
    client = scripted(refused, refused, api_key=SECRET, retry=retry)
    with pytest.raises(modelwire.RateLimitError):
        client.chat.completions.create(model=f"m {SECRET}", messages=HELLO)
    eventually("the failure is logged", lambda: "call failed" in kept.text())
    told = [record for record in kept.records if record.levelno >= logging.INFO]
    (again, failed) = told
    assert (again.levelname, failed.levelname) == ("INFO", "WARNING")
    common = ['kind="rate_limited"', "status=429", 'model="m [key]"', "/v1/chat/completions"]
    for record, own in (
        (again, ["retrying after a delay", "wait_ms=1", "attempts=1"]),
        (failed, ["call failed", "attempts=2", 'code="c [key]"', 'metered="unknown"']),
    ):
        for part in common + own:
            assert part in record.getMessage(), record.getMessage()
        assert SECRET not in record.getMessage()


def test_the_openai_logger_is_used_if_only_it_is_configured(program):
    """Programs that were written for openai-python set up its logger."""
    output = program(
        """
        import logging
        logging.basicConfig(format="%(levelname)s %(name)s %(message)s", stream=sys.stdout)
        logging.getLogger("openai").setLevel(logging.DEBUG)
        modelwire.Client().models.list()
        modelwire.disable_logging()
        print("ours")
        logging.getLogger("modelwire").setLevel(logging.WARNING)
        modelwire.Client().models.list()
        """,
    )
    followed, ours = output.split("ours\n")
    assert "modelwire call done" in followed and "DEBUG modelwire" in followed, output
    assert ours == ""


def test_failures_are_warned_of_wherever_logging_is_set_up(program):
    """As the core says it, without a thread; once; and not where nobody listens."""
    output = program(
        """
        import logging
        def fail(model="none"):
            try:
                ask(client, model=model)
            except modelwire.OpenAIError:
                pass
        client = modelwire.Client()
        fail()
        client = modelwire.Client()  # tells nothing of what failed before
        logging.basicConfig(format="%(levelname)s %(name)s %(message)s", stream=sys.stdout)
        fail()
        fail(5)  # nothing was called
        client.models.list()
        client = modelwire.Client()
        logging.getLogger("modelwire").setLevel(logging.ERROR)
        fail()
        print([thread.name for thread in threading.enumerate()])
        """,
    )
    (told, threads) = output.splitlines()
    assert threads == "['MainThread']"
    expected = (
        'WARNING modelwire call failed kind="not_found" status=404 code="model_not_found" '
        'path="/v1/chat/completions" model="none" attempts=1 elapsed_ms='
    )
    assert told.startswith(expected) and told.endswith(' metered="unknown"'), told


def test_an_unknown_stream_field_is_warned_of(scripted, caplog):
    """Once, behind a stream that ended well, and without what it says."""
    chunk = f"data: {piece('a')}\n\n"
    body = f"{chunk}json: {piece('lost')}\nmore: 1\n\ndata: [DONE]\n\n"
    sent = {"send": f"{len(body):x}\r\n{body}\r\n0\r\n\r\n"}
    client = scripted({"steps": [{"send": STREAM_HEAD}, sent]})
    create = client.chat.completions.create
    assert len(list(create(model="m", messages=HELLO, stream=True))) == 1
    create(model="m", messages=HELLO, stream_only=True)
    told = [(record.levelname, record.getMessage()) for record in caplog.records]
    unknown = ("WARNING", 'the stream has lines with an unknown field field="json"')
    unfinished = ("WARNING", "the stream ended without a finish reason events=1")
    assert told == [unknown, unfinished] * 2


@pytest.mark.parametrize(("line", "field"), [("ping", ' field="ping"'), ("lost words", "")])
def test_a_line_without_a_colon_is_a_field_that_is_warned_of(scripted, caplog, line, field):
    """Ignored, as the grammar says; text of several words is not logged."""
    chunks = f"data: {piece('a')}\n\ndata: {finish()}\n\n"
    body = f"{line}\n\n{chunks}{line}\n\ndata: [DONE]\n\n"
    sent = {"send": f"{len(body):x}\r\n{body}\r\n0\r\n\r\n"}
    client = scripted({"steps": [{"send": STREAM_HEAD}, sent]})
    create = client.chat.completions.create
    assert len(list(create(model="m", messages=HELLO, stream=True))) == 2
    told = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert told == [("WARNING", f"the stream has lines with an unknown field{field}")]


def test_a_handler_that_fails_changes_no_call(scripted):
    """Whatever it raises, the error of the call is raised."""

    class Broken(logging.Handler):
        def emit(self, record):
            raise RuntimeError("broken handler")

    logger, handler = logging.getLogger("modelwire"), Broken()
    logger.addHandler(handler)
    try:
        client = scripted(answer("no", 400))
        with pytest.raises(modelwire.BadRequestError):
            asked(client)
    finally:
        logger.removeHandler(handler)


def test_failures_and_new_clients_at_once(program):
    """Each failure is told once, whoever hands it on."""
    output = program(
        """
        import logging
        seen = []
        class Kept(logging.Handler):
            def emit(self, record):
                seen.append(record.getMessage())
        logging.getLogger("modelwire").addHandler(Kept())

        def fail():
            client = modelwire.Client()
            for _ in range(40):
                try:
                    client.responses.create(model="none", input="x")
                except modelwire.NotFoundError:
                    pass

        def make():
            for _ in range(200):
                modelwire.Client().close()

        threads = [threading.Thread(target=what) for what in (fail, fail, fail, make, make)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(len(seen))
        """,
    )
    assert output == "120\n"


def test_nothing_is_logged_if_logging_is_not_configured(service):
    """And no thread is started for it."""
    assert logging.getLogger("modelwire").getEffectiveLevel() > logging.INFO
    client = modelwire.Client(base_url=service.base_url, api_key=KEY)
    client.models.list()
    assert "modelwire-log" not in {thread.name for thread in threading.enumerate()}


def test_logging_by_hand(service, kept):
    """Begun and ended while clients are there; levels are logging's."""
    client = modelwire.Client(base_url=service.base_url, api_key=KEY)
    modelwire.disable_logging()
    client.models.list()
    kept.records.clear()
    modelwire.enable_logging("error")
    with pytest.raises(modelwire.NotFoundError):
        client.chat.completions.create(model="no-such-model", messages=HELLO)
    modelwire.disable_logging()
    assert kept.text() == ""
    modelwire.enable_logging(logging.WARNING)
    with pytest.raises(modelwire.NotFoundError):
        client.chat.completions.create(model="no-such-model", messages=HELLO)
    modelwire.disable_logging()
    assert "call failed" in kept.text()
    with pytest.raises(ValueError, match="not a logging level"):
        modelwire.enable_logging("loud")


def test_a_key_that_travels_unencrypted_is_warned_of():
    """Once, also where nobody set logging up."""
    output = programs.run(
        """
        import logging
        seen = []
        class Kept(logging.Handler):
            def emit(self, record):
                seen.append((record.levelname, record.name, "plain http" in record.getMessage()))
        logging.getLogger().addHandler(Kept())
        for _ in range(2):
            modelwire.Client(base_url="http://service.example/v1", api_key="sk-test")
        print(seen)
        """
    )
    assert output == "[('WARNING', 'modelwire', True)]\n"


def test_threads_that_log_and_make_clients(program):
    """At DEBUG, behind a barrier, with a handler that logs itself: nobody waits for ever."""
    program(
        """
        import io, logging
        class Chatty(logging.StreamHandler):
            def emit(self, record):
                super().emit(record)
                if record.name != "other":
                    logging.getLogger("other").debug("seen")
        logging.getLogger().addHandler(Chatty(io.StringIO()))
        logging.getLogger().setLevel(logging.DEBUG)
        barrier = threading.Barrier(8)

        def work():
            barrier.wait()
            for _ in range(5):
                with modelwire.Client() as client:
                    client.models.list()

        threads = [threading.Thread(target=work) for _ in range(8)]
        [thread.start() for thread in threads]
        [thread.join(60) for thread in threads]
        assert not any(thread.is_alive() for thread in threads)
        """,
    )


def test_a_forked_child_logs_too(program):
    """By a thread of its own, begun with its first call."""
    output = program(
        """
        import logging
        seen = []
        class Kept(logging.Handler):
            def emit(self, record):
                seen.append(record.getMessage())
        logging.getLogger("modelwire").addHandler(Kept())
        logging.getLogger("modelwire").setLevel(logging.DEBUG)
        client = modelwire.Client()
        client.models.list()
        child = os.fork()
        if child == 0:
            seen.clear()
            try:
                ask(client, model="no-such-model")
            except modelwire.NotFoundError:
                pass
            for _ in range(6000):
                if any("call failed" in line for line in seen):
                    os.write(1, b"logged")
                    os._exit(0)
                # clock: between two looks
                time.sleep(0.01)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        """,
    )
    assert output == "logged"


@pytest.mark.parametrize("variable", ["MODELWIRE_LOG", "OPENAI_LOG"])
def test_a_variable_enables_logging(service, variable):
    """On stderr, up to the end of the program, and without the key."""
    source = """
        client = modelwire.Client()
        try:
            client.responses.create(model="no-such-model", input="x")
        except modelwire.NotFoundError:
            pass
        """
    done = programs.finished(
        programs.command(source), env={**programs.environment(service.base_url), variable: "debug"}
    )
    assert "call failed" in done.stderr, done.stderr
    assert KEY not in done.stderr and "Traceback" not in done.stderr
