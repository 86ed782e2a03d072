"""Two copies of the package in one process, the second under a name of its own, as programs have it
that vendor what they need: neither disturbs the other."""

import re
import shutil
from pathlib import Path

import pytest

import modelwire
import programs
from wire import END, STALL, finish, piece, stream

pytestmark = pytest.mark.thread_unsafe("each test is a program of its own")

STATEMENT = re.compile(r"(?m)^(\s*)(from|import) modelwire\b")
PAUSE = {"pause_ms": 30}
PIECES = 20


@pytest.fixture(scope="module")
def vendored(tmp_path_factory):
    """A folder with the package `app.vendored`: a copy of ours whose import statements name it."""
    folder = tmp_path_factory.mktemp("vendored")
    copy = folder / "app" / "vendored"
    shutil.copytree(
        Path(modelwire.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__")
    )
    (copy.parent / "__init__.py").touch()
    for path in copy.rglob("*.py"):
        path.write_text(STATEMENT.sub(r"\1\2 app.vendored", path.read_text()))
    return folder


BOTH = """
    sys.path.insert(0, {folder!r})
    import app.vendored
    import asyncio, contextlib, logging
    COPIES = [modelwire, app.vendored]

    def streamed(client):
        return ask(client, stream=True)

    def rest(chat):
        return "".join(chunk.choices[0].delta.content or "" for chunk in chat)

    def io_threads():
        tasks = os.listdir("/proc/self/task")
        names = [open(f"/proc/self/task/{{task}}/comm").read().strip() for task in tasks]
        return [name for name in names if name.startswith("mw-io")]

    class Many:
        # What each copy does in a thread of its own; what one raises is raised here.
        def __init__(self, work):
            self.failed = []
            self.threads = [threading.Thread(target=self.run, args=(work, one)) for one in COPIES]
            for thread in self.threads:
                thread.start()

        def run(self, work, copy):
            try:
                work(copy)
            except BaseException as error:
                self.failed.append(error)

        def end(self):
            for thread in self.threads:
                thread.join()
            if self.failed:
                raise self.failed[0]
"""


@pytest.fixture
def both(service, vendored):
    """Runs a program that imported both copies, against streams that take a while. What it prints
    is returned."""
    steps = [step for _ in range(PIECES) for step in (piece("a"), PAUSE)]
    slow = service.script("copies", [stream(*steps, finish(), *END)] * 8)
    stalled = service.script("copies-stalled", [stream(piece("a"), piece("b"), STALL)] * 8)

    def run(source, first="modelwire"):
        urls = f"SLOW, STALLED, PIECES = {slow!r}, {stalled!r}, {PIECES}\n"
        names = programs.textwrap.dedent(BOTH.format(folder=str(vendored)))
        before = ""
        if first != "modelwire":
            before = f"import sys; sys.path.insert(0, {str(vendored)!r}); import {first}\n"
        source = urls + names + programs.textwrap.dedent(source)
        return programs.run(source, service.base_url, before=before)

    return run


def test_calls_and_streams_in_both_at_once(both, service):
    """Each has its own connections, sums, classes and thread, whatever the other does."""
    both("""
    def work(copy):
        client, slow = copy.Client(), copy.Client(base_url=SLOW)
        chat = streamed(slow)
        assert next(chat).choices[0].delta.content == "a"
        for _ in range(5):
            assert type(ask(client)) is copy.types.chat.ChatCompletion
        assert rest(chat) == "a" * (PIECES - 1)
        assert client.usage()["echo"]["calls"] == 5

        async def answers():
            async with copy.AsyncClient() as client, copy.AsyncClient(base_url=SLOW) as slow:
                chat = await streamed(slow)
                await asyncio.gather(*[ask(client) for _ in range(5)])
                return "".join([c.choices[0].delta.content or "" async for c in chat])

        assert asyncio.run(answers()) == "a" * PIECES

    many = Many(work)
    while len(io_threads()) < 2:
        # clock: between two looks
        time.sleep(0.005)
    many.end()
    """)
    assert len(service.requests()) == 20


def test_errors_answers_and_parts_are_of_their_own_copy(both):
    """No class of one is met in the other, also after a pickle, and with a class of the program's
    own."""
    both("""
    import pickle
    for copy, other in (COPIES, COPIES[::-1]):
        client = copy.Client()
        try:
            client.chat.completions.create(model="none", messages=MESSAGES)
        except other.OpenAIError:
            raise SystemExit("caught as the other's")
        except copy.NotFoundError as error:
            assert type(error).__module__.split(".")[0] == copy.__name__.split(".")[0]
        answer = ask(client)
        again = pickle.loads(pickle.dumps(answer))
        assert type(again) is type(answer) is copy.types.chat.ChatCompletion and again == answer
        assert answer.choices[0].model_dump()["message"]["role"] == "assistant"
        assert copy.NOT_GIVEN is not other.NOT_GIVEN
        client.chat.completions.create(model="echo", messages=MESSAGES, temperature=copy.NOT_GIVEN)
        assert copy.bulk.__module__.startswith(copy.__name__ + ".")
        assert copy.CallRecord.__module__.startswith(copy.__name__ + ".")
        assert copy.types.chat.ParsedChatCompletion.__module__.startswith(copy.__name__ + ".")
    loaded = [name for name in sys.modules if name.startswith("app.vendored.")]
    assert "app.vendored._errors" in loaded and "app.vendored.types._lazy" in loaded
    """)


def test_a_shutdown_of_one_leaves_the_other(both):
    """Its thread ends, and the other's stream goes on."""
    both("""
    from app.vendored import _native as vendored
    chats = [streamed(copy.Client(base_url=SLOW)) for copy in COPIES]
    for chat in chats:
        next(chat)
    ours, theirs = chats
    assert vendored.shutdown(5.0)
    try:
        rest(theirs)
    except app.vendored.OpenAIError as error:
        assert error.kind in ("shutdown", "cancelled"), error.kind
    assert rest(ours) == "a" * (PIECES - 1)
    ask(modelwire.Client())
    """)


@pytest.mark.parametrize("first", ["modelwire", "app.vendored"])
@pytest.mark.parametrize(
    "how",
    [
        "pass",
        "[threading.Thread(target=rest, args=(c,), daemon=True).start() for c in chats]",
        "import atexit; [atexit.register(lambda c=c: print(next(c, None))) for c in chats]",
    ],
)
def test_the_process_ends_with_streams_of_both_open(both, first, how):
    """In whatever order they were imported, well and without a word."""
    both(
        f"""
    chats = [streamed(copy.Client(base_url=STALLED)) for copy in COPIES]
    for chat in chats:
        next(chat)
    {how}
    """,
        first=first,
    )


def test_fork_in_mid_stream_of_both(both):
    """The child calls with both, the parent's streams go on."""
    both("""
    from app import vendored
    clients = [copy.Client() for copy in COPIES]
    chats = [streamed(copy.Client(base_url=SLOW)) for copy in COPIES]
    for client, chat in zip(clients, chats):
        ask(client)
        next(chat)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            for copy, client, chat in zip(COPIES, clients, chats):
                ask(client)
                ask(copy.Client())
                try:
                    next(chat)
                except copy.OpenAIError as error:
                    assert error.kind == "forked"
            assert len(io_threads()) <= 2
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for client, chat in zip(clients, chats):
        assert rest(chat) == "a" * (PIECES - 1)
        ask(client)
    """)


@pytest.mark.parametrize("waits", [0, 1])
def test_ctrl_c_ends_the_wait_of_one_alone(both, waits):
    """The main thread's; the other's stream, on another thread, hears nothing of it."""
    both(f"""
    waits, goes_on = COPIES[{waits}], COPIES[1 - {waits}]
    pieces = []
    other = streamed(goes_on.Client(base_url=SLOW))
    thread = threading.Thread(target=lambda: pieces.append(rest(other)))
    thread.start()
    chat = streamed(waits.Client(base_url=STALLED))
    next(chat)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        rest(chat)
        raise SystemExit("it ended")
    except KeyboardInterrupt:
        pass
    thread.join()
    assert pieces == ["a" * PIECES]
    for copy in COPIES:
        ask(copy.Client())
    """)


def test_each_copy_logs_its_own_calls(both):
    """Every record once, to the one logger of that name; the end of one's log is not the
    other's."""
    both("""
    class Kept(logging.Handler):
        def __init__(self):
            super().__init__()
            self.messages = []
        def emit(self, record):
            self.messages.append(record.getMessage())
        def failures(self):
            return sum("404" in message or "not_found" in message for message in self.messages)

    kept = Kept()
    logging.getLogger("modelwire").addHandler(kept)
    logging.getLogger("modelwire").setLevel("INFO")

    def fail(copy):
        with contextlib.suppress(copy.NotFoundError):
            copy.Client().chat.completions.create(model="none", messages=MESSAGES)

    for copy in COPIES:
        copy.enable_logging("INFO")
        fail(copy)
    for copy in COPIES:
        copy.disable_logging()
    assert kept.failures() == 2, kept.messages
    for thread in threading.enumerate():
        assert thread is threading.main_thread(), thread

    for copy in COPIES:
        copy.enable_logging("INFO")
    app.vendored.disable_logging()
    fail(modelwire)
    modelwire.disable_logging()
    assert kept.failures() == 3, kept.messages
    """)


def test_each_copy_records_its_own_calls(both):
    """Observers and stand-in services of both at once."""
    both("""
    told = {copy: [] for copy in COPIES}
    with contextlib.ExitStack() as stack:
        services = [stack.enter_context(copy.testing.Service()) for copy in COPIES]
        def work(copy):
            service = services[COPIES.index(copy)]
            client = copy.Client(base_url=service.base_url, api_key=service.api_key,
                                 on_call=told[copy].append)
            for number in range(10):
                service.queue(copy.testing.text(f"{copy.__name__} {number}"))
                assert ask(client).choices[0].message.content == f"{copy.__name__} {number}"
        Many(work).end()
        for copy in COPIES:
            assert copy.flush_calls()
            assert len(told[copy]) == 10
            assert all(type(one) is copy.CallRecord for one in told[copy])
    """)


def test_bulk_jobs_of_both_at_once(both):
    """The engine of each is its own."""
    both("""
    def work(copy):
        client = copy.Client()
        rows = [{"model": "echo", "messages": MESSAGES} for _ in range(50)]
        outcomes = list(copy.bulk(rows, client=client))
        assert len(outcomes) == 50 and all(one.error is None for one in outcomes)

    Many(work).end()
    """)
