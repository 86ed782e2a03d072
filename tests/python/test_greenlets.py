"""The synchronous client under gevent and eventlet: a wait lets the other greenlets run. Each
program is a process of its own, for what these libraries replace stays replaced."""

import json
import signal
import textwrap
import time

import pytest

import programs
from conftest import SOON, eventually
from wire import END, SILENCE, finish, pause, piece, stream

pytestmark = pytest.mark.thread_unsafe("each test is a program of its own")

PATCH = {
    "gevent": """
from gevent import monkey
monkey.patch_all()
import gevent
spawn, sleep, Timeout = gevent.spawn, gevent.sleep, gevent.Timeout
def wait(all):
    gevent.joinall(all, raise_error=True)
    return [one.value for one in all]
def kill(one):
    one.kill()
""",
    "eventlet": """
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import eventlet, eventlet.tpool
eventlet.monkey_patch()
spawn, sleep, Timeout = eventlet.spawn, eventlet.sleep, eventlet.Timeout
def wait(all):
    return [one.wait() for one in all]
def kill(one):
    one.kill()
""",
}
BOTH = pytest.mark.parametrize("library", PATCH)
ASK = """
client = modelwire.Client()

def ask(model="m", **fields):
    messages = [{"role": "user", "content": "x"}]
    return client.chat.completions.create(model=model, messages=messages, **fields)

def read(chunks):
    return [chunk.choices[0].delta.content for chunk in chunks]
"""


@pytest.fixture
def run(service, request):
    """Runs a program of a library against a script."""
    name = "".join(char if char.isalnum() else "-" for char in request.node.name)

    def run(library, source, *exchanges):
        service.script(name, exchanges)
        base_url = service.base_url.replace("/v1", f"/scripts/{name}/v1")
        return programs.run(ASK + textwrap.dedent(source), base_url, before=PATCH[library])

    run.requests = lambda: service.requests(name)
    run.start = lambda library, source, *exchanges: (
        service.script(name, exchanges),
        programs.start(
            ASK + textwrap.dedent(source),
            service.base_url.replace("/v1", f"/scripts/{name}/v1"),
            before=PATCH[library],
        ),
    )[1]
    return run


@BOTH
def test_slow_calls_take_the_time_of_one(run, library):
    """Eight calls that each take a second, and a greenlet that ticks meanwhile."""
    run(
        library,
        """
        ticks = []
        def tick():
            while True:
                ticks.append(time.monotonic())
                # clock: the pace of who runs beside
                sleep(0.01)
        ticking = spawn(tick)
        before = time.monotonic()
        for answer in wait([spawn(ask) for _ in range(8)]):
            assert answer.id == "x"
        took = time.monotonic() - before
        # clock: beside eight seconds, one after another
        assert 1.0 <= took < 7.0, took
        gaps = [later - sooner for sooner, later in zip(ticks, ticks[1:])]
        # a call that held it up would take all of its second, each of the eight
        assert len(ticks) > 20 and sorted(gaps)[-3] < 0.8, (len(ticks), max(gaps))
        """,
        *[delayed({"id": "x", "choices": [{}]})] * 8,
    )


def delayed(body, seconds=1.0):
    """An answer that comes late."""
    text = json.dumps(body)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(text)}"
    return {"steps": [pause(seconds), {"send": f"{head}\r\n\r\n{text}"}]}


@BOTH
def test_streams_at_once(run, library):
    """Slow streams beside each other, by chunk, by text, by batch and by event."""
    paced = stream(*[step for _ in range(5) for step in (pause(0.1), piece("a"))], finish(), *END)
    run(
        library,
        """
        def chunks():
            return "".join(filter(None, read(ask(stream=True))))
        def pieces():
            return "".join(ask(stream=True).text_deltas())
        def batches():
            return "".join(filter(None, (content for batch in ask(stream=True).batches()
                                         for content in read(batch))))
        def events():
            messages = [{"role": "user", "content": "x"}]
            with client.chat.completions.stream(model="m", messages=messages) as helper:
                return helper.get_final_completion().choices[0].message.content
        before = time.monotonic()
        found = wait([spawn(way) for way in (chunks, pieces, batches, events) * 4])
        assert found == ["aaaaa"] * 16, found
        # clock: beside eight seconds, one after another
        assert time.monotonic() - before < 7.0
        """,
        *[paced] * 16,
    )


@BOTH
def test_greenlets_share_a_stream(run, library):
    """Each chunk reaches one of them, and all see the end."""
    steps = [step for number in range(40) for step in (piece(str(number)), pause(0.005))]
    run(
        library,
        """
        shared = ask(stream=True)
        found = sum(wait([spawn(read, shared) for _ in range(3)]), [])
        assert sorted(int(one) for one in found if one) == list(range(40)), found
        """,
        stream(*steps, finish(), *END),
    )


@BOTH
def test_a_timeout_of_the_library_ends_the_call(run, service, library):
    """And closes its exchange; one of a stream takes nothing from it."""
    run(
        library,
        """
        before = time.monotonic()
        try:
            with Timeout(0.2):
                ask()
        except Timeout:
            pass
        else:
            raise AssertionError("no timeout")
        # clock: bounds a hang
        assert time.monotonic() - before < 30.0
        chat, found, given_up = ask(stream=True), [], 0
        while True:
            try:
                with Timeout(0.01):
                    chunk = next(chat, None)
            except Timeout:
                given_up += 1
                continue
            if chunk is None:
                break
            found.append(chunk.choices[0].delta.content)
        assert found == [*map(str, range(20)), None] and given_up > 0, (found, given_up)
        """,
        SILENCE,
        stream(
            *[step for number in range(20) for step in (piece(str(number)), pause(0.03))],
            finish(),
            *END,
        ),
    )


@BOTH
def test_a_greenlet_that_is_killed_closes_its_exchange(run, quiet, library):
    """Of a call, and of a stream that a loop iterates."""
    program = run.start(
        library,
        """
        def loop():
            for _ in ask(stream=True):
                pass
        both = [spawn(ask), spawn(loop)]
        # clock: before or in the wait, both are to end the same
        sleep(0.3)
        for one in both:
            kill(one)
        print("killed", flush=True)
        sys.stdin.readline()
        """,
        SILENCE,
        stream(piece("a"), *SILENCE["steps"]),
    )
    with program:
        assert program.stdout.readline() == "killed\n"
        eventually("both are closed", lambda: quiet.open_connections() == 0)
        output, errors = program.communicate("\n", 60)
    assert (program.returncode, errors) == (0, "")


@BOTH
@pytest.mark.parametrize("where", ["the main one", "another"])
def test_ctrl_c(run, library, where):
    """Whichever greenlet waits for the call, the program hears of it at once."""
    call = {"the main one": "ask()", "another": "wait([spawn(ask)])"}[where]
    program = run.start(
        library,
        f"""
        try:
            print("asks", flush=True)
            {call}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            os._exit(0)
        """,
        SILENCE,
    )
    with program:
        assert program.stdout.readline() == "asks\n"
        eventually("it asked", run.requests)
        before = time.monotonic()
        program.send_signal(signal.SIGINT)
        assert program.stdout.readline() == "interrupted\n"
        # clock: bounds a hang
        assert time.monotonic() - before < SOON
        program.communicate("", 60)


@BOTH
def test_a_child_and_real_threads(run, library):
    """A forked child waits in a hub of its own, a thread of the system as well."""
    threaded = {
        "gevent": "gevent.get_hub().threadpool.apply(ask)",
        "eventlet": "eventlet.tpool.execute(ask)",
    }[library]
    run(
        library,
        f"""
        assert ask().id == "x"
        child = os.fork()
        if child == 0:
            os._exit(0 if ask().id == "x" else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert {threaded}.id == "x"
        assert ask().id == "x"
        """,
        *[delayed({"id": "x", "choices": [{}]}, 0.05)] * 4,
    )


@BOTH
def test_logging_does_not_block_greenlets(run, library):
    """What is a thread elsewhere is a greenlet here."""
    run(
        library,
        """
        import io, logging
        kept = io.StringIO()
        logging.basicConfig(stream=kept, level=logging.DEBUG)
        client = modelwire.Client()
        wait([spawn(ask) for _ in range(4)])
        for _ in range(6000):
            if "modelwire" in kept.getvalue():
                break
            sleep(0.01)  # clock: between two looks
        assert "modelwire" in kept.getvalue()
        """,
        *[delayed({"id": "x", "choices": [{}]}, 0.2)] * 4,
    )


def test_unpatched_gevent_is_warned_of(run):
    """Once, and loudly; a program that makes no greenlet hears nothing."""
    source = """
        import gevent, warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ask()
            assert not caught
            gevent.joinall([gevent.spawn(ask), gevent.spawn(ask)], raise_error=True)
        (one,) = caught
        assert one.category is RuntimeWarning and "patch_all" in str(one.message)
        """
    PATCH["nothing"] = ""
    try:
        run("nothing", source, *[delayed({"id": "x", "choices": [{}]}, 0.05)] * 3)
    finally:
        del PATCH["nothing"]
