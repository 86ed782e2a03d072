"""The synchronous client under gevent and eventlet: a wait lets the other greenlets run. Each
program is a process of its own, for what these libraries replace stays replaced."""

import signal
import textwrap
import threading
import time

import pytest

import lockstep
import programs
from conftest import DEADLINE, SOON, eventually
from lockstep import Held
from wire import END, SILENCE, STREAM_HEAD, finish, pause, piece, sent, stream, whole

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
start_thread = monkey.get_original("_thread", "start_new_thread")
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
start_thread = eventlet.patcher.original("_thread").start_new_thread
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
    run.start = lambda library, source, *exchanges: started(
        library, source, service.script(name, exchanges)
    )
    return run


def started(library, source, base_url):
    """A program of a library that runs meanwhile."""
    return programs.start(ASK + textwrap.dedent(source), base_url, before=PATCH[library])


def ended_well(program):
    _, complaint = program.communicate("", programs.DEADLINE)
    assert (program.returncode, complaint) == (0, "")


@BOTH
def test_slow_calls_take_the_time_of_one(library):
    """Eight calls, none of which is answered before all were sent and a greenlet beside them has
    ticked twenty times."""
    all_came, has_ticked = threading.Barrier(8 + 1), threading.Event()

    def respond(request):
        all_came.wait(DEADLINE)
        if not has_ticked.wait(DEADLINE):
            raise TimeoutError
        request.send(whole({"id": "x", "choices": [{}]}))

    source = """
    def tick():
        while True:
            print(time.monotonic(), flush=True)
            # clock: the pace of who runs beside
            sleep(0.01)
    ticking = spawn(tick)
    for answer in wait([spawn(ask) for _ in range(8)]):
        assert answer.id == "x"
    kill(ticking)
    """
    with lockstep.serving(respond) as url, started(library, source, url) as program:
        all_came.wait(DEADLINE)
        begun, ticks = time.monotonic(), 0
        while ticks < 20:
            ticks += float(program.stdout.readline()) > begun
        has_ticked.set()
        ended_well(program)


def delayed(body, seconds):
    """An answer that comes late."""
    return {"steps": [pause(seconds), {"send": whole(body)}]}


@BOTH
def test_streams_at_once(library):
    """Streams beside each other, by chunk, by text, by batch and by event: none goes on before all
    have come as far."""
    all_came = threading.Barrier(16)

    def respond(request):
        request.send(STREAM_HEAD)
        for step in [sent(piece("a"))] * 5 + [sent(finish()), *END]:
            all_came.wait(DEADLINE)
            request.send(step["send"])

    source = """
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
        found = wait([spawn(way) for way in (chunks, pieces, batches, events) * 4])
        assert found == ["aaaaa"] * 16, found
        """
    with lockstep.serving(respond) as url, started(library, source, url) as program:
        ended_well(program)


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
def test_a_timeout_of_the_library_ends_the_call(quiet, library):
    """And closes its exchange; one of a stream takes nothing from it: each number is sent once a
    wait for it was given up."""
    silent = quiet.script("greenlets-silent", [SILENCE])
    numbers = [*map(str, range(20))]
    held = Held(*map(piece, numbers), finish(), *END)
    source = f"""
        deaf, before = modelwire.Client(base_url={silent!r}), time.monotonic()
        try:
            with Timeout(0.2):
                deaf.chat.completions.create(model="m", messages=MESSAGES)
        except Timeout:
            pass
        else:
            raise AssertionError("no timeout")
        # clock: bounds a hang
        assert time.monotonic() - before < 30.0
        chat, found = ask(stream=True), []
        while True:
            try:
                with Timeout(0.01):
                    chunk = next(chat, None)
            except Timeout:
                print("given up", flush=True)
                continue
            if chunk is None:
                break
            found.append(chunk.choices[0].delta.content)
        assert found == {[*numbers, None]}, found
        print("all", flush=True)
        """
    with lockstep.serving(held) as url, started(library, source, url) as program:
        assert program.stdout.readline() == "given up\n"
        quiet.until_closed()
        held.go()
        while program.stdout.readline() == "given up\n":
            held.go()
        ended_well(program)


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
@pytest.mark.parametrize("where", ["the main one", "another", "the main one, not woken"])
def test_ctrl_c(run, library, where):
    """Whichever greenlet waits for the call, the program hears of it at once. A signal that comes
    when the hub has looked for one and does not wait yet, or to another thread, wakes nobody: made
    certain by a main thread that blocks it."""
    call = "wait([spawn(ask)])" if where == "another" else "ask()"
    program = run.start(
        library,
        f"""
        if {"not woken" in where}:
            start_thread(signal.sigwait, ([signal.SIGUSR1],))
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
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
