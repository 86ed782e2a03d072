"""`modelwire.bulk`: rows in any form in, an outcome for each out, on threads and in event loops,
left early, stopped and interrupted."""

import asyncio
import gc
import itertools
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import anyio
import pytest
import trio

import lockstep
import modelwire
import programs
from conftest import DEADLINE, KEY, eventually, together
from modelwire import testing
from wire import ANSWER, SILENCE, answer, whole

PROMPTS = [f"prompt {number}" for number in range(200)]
ASK = {"model": "echo", "messages": [{"role": "user", "content": "Say it."}]}
ONE_ANSWER = [answer({"choices": [{}]}), *([SILENCE] * 20)]
RSS_GROWTH_KIB_MAX = 8 * 1024
"""Of 10,000 rows beyond the first 2,000."""


@pytest.fixture
def bulk(service):
    """A bulk job of the played service; ended with the test."""
    made = []

    def make(rows, **settings):
        where = {"base_url": service.base_url, "api_key": KEY}
        if "client" in settings:
            where = {}
        run = modelwire.bulk(rows, **{**where, "model": "echo", **settings})
        made.append(run)
        return run

    yield make
    for run in made:
        run.close()


def scripted(stand_in, rows, **settings):
    where = {"base_url": stand_in.base_url, "api_key": stand_in.api_key, "model": "echo"}
    return modelwire.bulk(rows, **{**where, **settings})


# Rows.


@pytest.mark.parametrize(
    ("row", "settings", "text", "custom_id"),
    [
        ("Say it.", {}, "Say it.", None),
        (ASK, {}, "Say it.", None),
        ({"messages": ASK["messages"]}, {}, "Say it.", None),
        ({"custom_id": "a", "url": "/v1/chat/completions", "body": ASK}, {}, "Say it.", "a"),
        ({"custom_id": "b", "url": "/v1/responses", "body": {"input": "x"}}, {}, "x", "b"),
        (("c", ASK), {}, "Say it.", "c"),
        ((7, "Say it."), {}, "Say it.", "7"),
        ({"text": "Say it.", "n": 3}, {"prompt": "{text}"}, "Say it.", None),
        ({"text": "x", "custom_id": "d"}, {"prompt": "{text}"}, "x", "d"),
        ({"a": "x", "b": 1.5}, {"prompt": "{{a}} is {a},\n{b}"}, "{a} is x,\n1.5", None),
        ({"input": "Say it."}, {"operation": "responses"}, "Say it.", None),
        ("Say it.", {"operation": "responses", "system": "Be brief."}, "Say it.", None),
        ("Say it.", {"system": "Be brief."}, "Say it.", None),
        ({"custom_id": "e", "body": "Say it."}, {"prompt": "{body}"}, "Say it.", "e"),
    ],
)
def test_forms_of_rows(bulk, row, settings, text, custom_id):
    """Each becomes the request that it stands for."""
    [result] = bulk([row], **settings)
    assert (result.text, result.error, result.custom_id) == (text, None, custom_id)
    assert result.row is row and result.attempts == 1 and result.elapsed > 0
    assert result.raise_for_error() is result.response


@pytest.mark.parametrize(
    ("prompt", "says"),
    [
        ("text", "names no field of the rows; write {text}"),
        ("{{text}}", "names no field of the rows"),
        ("a {text", "has a single brace"),
        ("{text} }", "has a single brace"),
        ("{}", "has {} without a name"),
    ],
)
def test_an_invalid_prompt_is_refused(bulk, prompt, says):
    """When the job is made, and of `Rows`, too."""
    for make in (lambda: bulk([], prompt=prompt), lambda: modelwire.bulk.Rows(prompt=prompt)):
        with pytest.raises(ValueError, match="^prompt ") as caught:
            make()
        assert says in str(caught.value)


def test_a_row_without_a_field_of_the_prompt_fails(bulk):
    """And one whose field is neither text nor a number."""
    rows = [{"a": "x", "c": 1}, {"a": "x", "b": ["y"]}, {"a": "x", "b": True}]
    found = {id(one.row): one for one in bulk(rows, prompt="{a} {b}")}
    missing, wrong, right = (found[id(row)] for row in rows)
    assert "no field 'b'" in str(missing.error) and "a, c" in str(missing.error)
    assert "'b' of a row is a list" in str(wrong.error)
    assert right.text == "x true"


@pytest.mark.parametrize("row", ["a document", ("a", "a document"), 3])
def test_a_prompt_needs_rows_with_fields(service, bulk, row):
    """Otherwise a text would be sent without the instruction in the prompt."""
    [result] = bulk([row], prompt="Summarize: {text}")
    assert isinstance(result.error, modelwire.RequestError)
    assert "prompt needs rows with fields" in result.error.message
    assert "system" in result.error.hint and result.attempts == 0
    assert service.requests() == []


def test_defaults_fill_in_missing_fields(service, bulk):
    """Only what a row leaves out."""
    rows = ["x", {**ASK, "temperature": 1}]
    assert {one.error for one in bulk(rows, defaults={"temperature": 0}, system="Be brief.")} == {
        None
    }
    bodies = sorted((one["body"] for one in service.requests()), key=lambda one: "Say" in str(one))
    bodies = [json.loads(one) if isinstance(one, str) else one for one in bodies]
    assert [one["temperature"] for one in bodies] == [0, 1]
    assert bodies[0]["messages"][0] == {"role": "system", "content": "Be brief."}
    assert bodies[1]["messages"] == ASK["messages"]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (3, "a row is a int"),
        ({"text": "x"}, "messages"),
        ({"custom_id": "a", "body": 3}, "body is a int"),
        ({"custom_id": "a", "url": "/v1/embeddings", "body": ASK}, "url is"),
        ({"custom_id": 1.5, "body": ASK}, "the name of a row is a float"),
        ({**ASK, "temperature": float("nan")}, "a row cannot be sent"),
        ({**ASK, "metadata": {(1,): "x"}}, "a row cannot be sent"),
        ({**ASK, "stop": object()}, "a row cannot be sent"),
        ({**ASK, "model": "no-such-model"}, "no-such-model"),
    ],
)
def test_a_bad_row_is_an_outcome(bulk, row, says):
    """The others go on."""
    results = {id(one.row): one for one in bulk([row, "good"])}
    assert len(results) == 2
    failed = results.pop(id(row))
    assert says in str(failed.error) and failed.text is None and failed.response is None
    assert isinstance(failed.error, modelwire.OpenAIError)
    with pytest.raises(modelwire.OpenAIError):
        failed.raise_for_error()
    assert results.popitem()[1].text == "good"


def test_a_row_without_a_model(service):
    """Nothing is sent on its account."""
    [result] = modelwire.bulk(["x"], base_url=service.base_url, api_key=KEY)
    assert isinstance(result.error, modelwire.RequestError) and "model" in str(result.error)
    assert service.requests() == []


@pytest.mark.parametrize("rows", ["x", b"x", {"a": 1}, None, 5])
def test_rows_must_be_an_iterable(bulk, rows):
    """A text would be taken letter by letter."""
    with pytest.raises(TypeError, match="not an iterable of rows"):
        bulk(rows)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"check": 5}, "check is 5; it must be"),
        ({"defaults": 5}, "defaults takes a dict, not int"),
        ({"reuse": 5}, "reuse takes paths, not int"),
        ({"model": 5}, "model takes a str, not int"),
        ({"system": 5}, "system takes a str, not int"),
    ],
    ids=repr,
)
def test_an_error_names_the_setting(bulk, settings, says):
    with pytest.raises((TypeError, ValueError), match=says):
        bulk(["x"], **settings)


def test_a_row_that_raises_when_it_is_read(bulk):
    """An outcome, and the others go on."""

    class Broken(dict):
        def __contains__(self, name):
            raise OSError("no such part")

    results = {str(one.row): one for one in bulk(["a", Broken(), "b"])}
    error = results["{}"].error
    assert "no such part" in str(error) and isinstance(error.__cause__, OSError)
    assert results["a"].text == "a" and results["b"].text == "b"


@pytest.mark.parametrize("name", ["max_concurrency", "attempts"])
def test_limits_that_are_not_integers(bulk, name):
    """More than anything counts is no limit."""
    with pytest.raises(ValueError, match=f"{name} is 1.5; it must be a whole number"):
        bulk([], **{name: 1.5})
    assert [one.text for one in bulk(["a"], **{name: 10**30})] == ["a"]


@pytest.mark.parametrize("name", ["max_concurrency", "rpm", "tpm", "attempts"])
def test_invalid_limits_are_refused(bulk, name):
    """Told at once."""
    for value in (0, -1, True, "8"):
        with pytest.raises(ValueError, match=name):
            bulk([], **{name: value})


# Outcomes.


def test_every_row_has_one_outcome(bulk):
    """Of a generator, in any order."""
    run = bulk(one for one in PROMPTS)
    results = list(run)
    assert sorted(one.text for one in results) == sorted(PROMPTS)
    assert all(one.text == one.row for one in results)
    status = run.status()
    assert (status.rows, status.done, status.failed, status.sent) == (200, 200, 0, 200)
    assert status.in_flight == 0 and status.elapsed > 0 and status.tokens > 0
    assert list(run) == [] and run.unfinished == []


def test_ordered(bulk):
    """Outcomes in the order of the rows, bad ones among them."""
    rows = [*PROMPTS[:50], 3, *PROMPTS[50:100]]
    assert [one.row for one in bulk(iter(rows), ordered=True)] == rows


def test_no_rows(bulk):
    assert list(bulk([])) == []


def test_lines_of_a_batch_file(bulk):
    """Results as OpenAI's tools read them."""
    good, bad = [one.to_dict() for one in bulk([("a", ASK), ("b", {"messages": 3})], ordered=True)]
    assert good["custom_id"] == "a" and good["error"] is None
    assert good["response"]["status_code"] == 200
    assert good["response"]["body"]["choices"][0]["message"]["content"] == "Say it."
    assert bad["custom_id"] == "b" and bad["error"]["message"]
    assert json.loads(json.dumps([good, bad])) == [good, bad]


def test_a_limit_is_waited_for(stand_in):
    """429 goes again; its outcome says how often it was sent."""
    stand_in.queue(testing.error(429, retry_after=0.05), testing.error(429, retry_after=0.05))
    [result] = scripted(stand_in, ["x"])
    assert (result.text, result.attempts) == ("x", 3)


def test_attempts_are_bounded(stand_in):
    stand_in.set_default(testing.error(429, retry_after=0.01))
    [result] = scripted(stand_in, ["x"], attempts=2)
    assert isinstance(result.error, modelwire.RateLimitError) and result.attempts == 2


@pytest.mark.parametrize(("may_pay_twice", "attempts"), [(False, 1), (True, 2)])
def test_may_pay_twice_allows_retries_of_server_errors(stand_in, may_pay_twice, attempts):
    """A fault of the service goes again only where that is allowed."""
    stand_in.queue(testing.error(500))
    [result] = scripted(stand_in, ["x"], may_pay_twice=may_pay_twice)
    assert result.attempts == attempts and (result.error is None) == may_pay_twice
    assert len(stand_in.requests) == attempts


def test_a_fixed_number_at_once(stand_in):
    """Never more on their way than max_concurrency."""
    stand_in.set_default(testing.text("yes").stall(0.05))
    seen = []
    list(scripted(stand_in, PROMPTS[:30], max_concurrency=3, progress=seen.append))
    assert 0 < max(one.in_flight for one in seen) <= 3


# The end of a run.


def test_a_wrong_key_raises(service):
    """The run stops before it burns all rows; what is left is known."""
    run = modelwire.bulk(iter(PROMPTS), base_url=service.base_url, api_key="sk-wrong", model="echo")
    with pytest.raises(modelwire.AuthenticationError, match="Incorrect API key"):
        list(run)
    assert len(service.requests()) < 50
    assert set(run.unfinished) <= set(PROMPTS) and run.unfinished
    assert list(run) == []


def test_a_key_that_expires_is_asked_for_again(service):
    """By the function that gave it; the rows that were rejected are sent again."""
    keys = ["sk-expired", KEY]
    asked_for = []

    def key():
        asked_for.append(keys[min(len(asked_for), 1)])
        return asked_for[-1]

    run = modelwire.bulk(PROMPTS, base_url=service.base_url, api_key=key, model="echo")
    assert sorted(result.text for result in run) == sorted(PROMPTS)
    assert asked_for == keys


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_key_that_stays_wrong_ends_the_run(service):
    """An exception of the function is reported as one that nobody catches."""
    once = iter(["sk-wrong"])
    for key in (lambda: "sk-wrong", lambda: next(once)):
        run = modelwire.bulk(PROMPTS[:3], base_url=service.base_url, api_key=key, model="echo")
        with pytest.raises(modelwire.AuthenticationError):
            list(run)


def test_rows_that_raise(bulk):
    """What was pulled before comes out, then the exception."""

    def rows():
        yield from PROMPTS[:20]
        raise LookupError("no more")

    found = []
    with pytest.raises(LookupError, match="no more"):
        for result in bulk(rows()):
            found.append(result.text)
    assert sorted(found) == sorted(PROMPTS[:20])


def test_an_unreachable_service_raises():
    """Rows are not burnt where nothing can be sent."""
    run = modelwire.bulk(PROMPTS[:3], base_url="http://127.0.0.1:9/v1", api_key=KEY, model="m")
    with pytest.raises(modelwire.APIConnectionError):
        list(run)
    assert len(run.unfinished) == 3


def test_rows_are_pulled_as_they_are_needed(bulk):
    """A bounded number ahead of their outcomes."""
    pulled = 0

    def rows():
        nonlocal pulled
        while True:
            pulled += 1
            yield f"row {pulled}"

    for taken, result in enumerate(bulk(rows()), 1):
        assert result.error is None
        if taken == 50:
            break
    assert 50 <= pulled < 5000


def left_by_break(run):
    for _ in run:
        break


def left_by_exception(run):
    with pytest.raises(LookupError):
        for _ in run:
            raise LookupError


def left_by_close(run):
    next(run)
    run.close()
    assert list(run) == []


def left_by_with(run):
    with run:
        next(run)


@pytest.mark.parametrize("leave", [left_by_break, left_by_exception, left_by_close, left_by_with])
def test_leaving_the_loop_ends_requests_in_flight(quiet, bulk, leave):
    """What is on its way is ended, also where somebody holds the run."""
    slow = quiet.script("bulk-left", ONE_ANSWER)
    run = modelwire.bulk(iter(PROMPTS), base_url=slow, api_key=KEY, model="m", max_concurrency=4)
    leave(run)
    quiet.until_closed()
    assert run.unfinished and list(run) == []


@pytest.mark.parametrize("ordered", [False, True])
def test_every_pulled_row_is_given_or_unfinished(bulk, ordered):
    """Each has its outcome or is unfinished."""
    run, given = bulk(iter(PROMPTS), ordered=ordered), []
    for result in run:
        given.append(result.row)
        if len(given) == 20:
            break
    pulled = PROMPTS[: run.status().rows]
    assert sorted([*given, *run.unfinished]) == sorted(pulled)


def test_rows_that_close_their_run(bulk):
    """It ends as any other that is closed."""

    def rows():
        yield "a"
        run.close()
        yield "b"

    run = bulk(rows())
    came = [result.row for result in run]
    # On a busy machine an answer comes before the next row is asked for.
    assert (came, run.unfinished) in [([], ["b", "a"]), (["a"], ["b"])]


def test_a_run_that_is_asked_from_within(bulk):
    """No hang."""

    def rows():
        yield "a"
        yield next(run).row

    run = bulk(rows())
    with pytest.raises(RuntimeError, match="from within this bulk job"):
        list(run)


def test_rows_that_are_made_of_outcomes(bulk):
    """A job in the rows of another."""
    inner = bulk(PROMPTS[:20])
    assert {one.text for one in bulk(one.text for one in inner)} == set(PROMPTS[:20])


def test_a_run_that_is_dropped(quiet):
    slow = quiet.script("bulk-dropped", [ANSWER, *([SILENCE] * 20)])
    run = modelwire.bulk(iter(PROMPTS), base_url=slow, api_key=KEY, model="m", max_concurrency=4)
    next(run)
    del run
    quiet.until_closed()


@pytest.mark.thread_unsafe("it is a program of its own")
def test_ctrl_c(service):
    """Heard while a job waits; the program goes on."""
    base_url = service.script("bulk-ctrl-c", [SILENCE] * 8)
    source = """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for result in modelwire.bulk(["a", "b"], model="m"):
            print("?", flush=True)
    except KeyboardInterrupt:
        print("heard", flush=True)
    """
    with programs.start(source, base_url) as program:
        try:
            eventually("it is sent", lambda: len(service.requests("bulk-ctrl-c")) == 2)
            program.send_signal(signal.SIGINT)
            assert program.communicate(timeout=60)[0] == "heard\n"
        finally:
            program.kill()


def test_a_program_may_exit_during_a_job(program):
    """No hang and no complaint."""
    source = """
    run = modelwire.bulk(["a", "b"], model="m")
    threading.Thread(target=lambda: list(run), daemon=True).start()
    # clock: before or in the wait, both are to end the same
    time.sleep(0.3)
    print("done")
    """
    assert program(source, *[SILENCE] * 8) == "done\n"


def test_a_fork(program):
    """A job belongs to its process; a child begins its own."""
    source = """
    run = modelwire.bulk(["a", "b", "c"], model="echo")
    next(run)
    child = os.fork()
    if child == 0:
        try:
            next(run)
            list(run)
            code = 1
        except modelwire.OpenAIError as error:
            code = 0 if error.kind == "forked" else 2
        ok = len(list(modelwire.bulk(["d"], model="echo"))) == 1
        os._exit(code if ok else 3)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 1 + len(list(run)))
    """
    assert program(source) == "0 3\n"


# Size, threads, greenlets.

MANY = """
    def resident():
        with open("/proc/self/status") as status:
            return int(next(line for line in status if line.startswith("VmRSS:")).split()[1])

    begun = 0
    rows = (f"row {n}" for n in range(12_000))
    for taken, result in enumerate(modelwire.bulk(rows, model="echo", max_concurrency=32), 1):
        assert result.text == result.row, result
        if taken == 2_000:
            begun = resident()
    print(taken, resident() - begun)
"""


def test_slow_rows_do_not_delay_earlier_ones(service, bulk):
    """What was given is sent while the iterator looks for the next row."""

    def rows():
        yield from PROMPTS[:10]
        eventually("they are sent", lambda: len(service.requests()) == 10)
        yield "last"

    assert len(list(bulk(rows()))) == 11


def test_many_rows(program, monkeypatch):
    """12,000 of them, in flat memory; what grows otherwise are connections."""
    monkeypatch.setattr(programs, "DEADLINE", 600.0)
    taken, growth = map(int, program(MANY).split())
    assert taken == 12_000 and growth < RSS_GROWTH_KIB_MAX


def test_threads_share_a_run(bulk):
    """Each outcome goes to one of them."""
    run, found = bulk(iter(PROMPTS)), []

    def take():
        while True:
            try:
                found.append(next(run).text)
            except StopIteration:
                return

    together(*[take] * 4)
    assert sorted(found) == sorted(PROMPTS)


class Kept:
    """A service keeps back its answers, from the one with this number on, until `free` is set."""

    def __init__(self, first=0):
        self.first, self.asked, self.free = first, threading.Semaphore(0), threading.Event()
        self.numbers = itertools.count()

    def __call__(self, request):
        number = next(self.numbers)
        self.asked.release()
        if number >= self.first and not self.free.wait(DEADLINE):
            raise TimeoutError
        request.send(whole({"choices": [{"message": {"content": "yes"}}]}))


def kept(url, rows, **settings):
    """A job of such a service; what it does not answer within the deadline fails."""
    client = modelwire.OpenAI(base_url=url, api_key=KEY, timeout=DEADLINE)
    return modelwire.bulk(rows, client=client, model="m", attempts=1, **settings)


def test_other_threads_run_during_a_wait():
    """A wait holds no lock of the interpreter's: another thread has turns before the answer."""
    back = Kept()

    def count():
        assert back.asked.acquire(timeout=DEADLINE)
        for _ in range(10):
            # clock: the pace of who runs beside
            time.sleep(0.005)
        back.free.set()

    thread = threading.Thread(target=count)
    thread.start()
    with lockstep.serving(back) as url:
        [result] = kept(url, ["x"])
        thread.join()
    assert result.text == "yes"


@pytest.mark.thread_unsafe("it is a program of its own")
def test_greenlets_run_during_a_wait():
    """They have turns before the answer."""
    before = "from gevent import monkey\nmonkey.patch_all()\nimport gevent\n"
    source = """
    def count():
        while True:
            print(time.monotonic(), flush=True)
            # clock: the pace of who runs beside
            gevent.sleep(0.005)
    counting = gevent.spawn(count)
    client = modelwire.OpenAI(timeout=60)
    [result] = modelwire.bulk(["x"], client=client, model="m", attempts=1)
    counting.kill()
    print(result.text)
    """
    back = Kept()
    with (
        lockstep.serving(back) as url,
        programs.start(source, url, before=before) as program,
    ):
        assert back.asked.acquire(timeout=DEADLINE)
        begun, turns = time.monotonic(), 0
        while turns < 10:
            turns += float(program.stdout.readline()) > begun
        back.free.set()
        output, complaint = program.communicate(timeout=programs.DEADLINE)
    assert (program.returncode, complaint) == (0, "") and output.splitlines()[-1] == "yes"


# Event loops.


async def rows_awaited(rows, pause=0.0):
    for number, row in enumerate(rows):
        if number % 50 == 0:
            # clock: the pace of the rows
            await anyio.sleep(pause)
        yield row


@pytest.mark.parametrize("kind", ["trio alone"])
async def test_an_awaited_row_that_is_cancelled(bulk, kind):
    """Under trio that ends the iterator of the rows; it does not seem to be all of them."""

    async def rows():
        # clock: longer than the deadline that cancels it
        await trio.sleep(60)
        yield "a"

    run = bulk(rows())
    with trio.move_on_after(0.2):
        await run.__anext__()
    with pytest.raises(modelwire.OpenAIError, match="cancelled"):
        await run.__anext__()


@pytest.mark.parametrize("kind", ["asyncio", "trio alone"])
@pytest.mark.parametrize("make", [iter, rows_awaited, list], ids=["iter", "async", "list"])
async def test_in_an_event_loop(bulk, make, kind):
    """Of rows that are awaited, or not."""
    assert sorted([result.text async for result in bulk(make(PROMPTS))]) == sorted(PROMPTS)


async def test_with_an_asynchronous_client(service, bulk):
    """Whose key a coroutine gives."""

    async def key():
        await asyncio.sleep(0)
        return KEY

    async with modelwire.AsyncOpenAI(base_url=service.base_url, api_key=key) as client:
        assert [result.text async for result in bulk(["x"], client=client)] == ["x"]


async def test_an_event_loop_runs_during_a_wait():
    """Other tasks have their turns before the answer."""
    back = Kept()

    async def count():
        while not back.asked.acquire(blocking=False):
            # clock: between two looks
            await asyncio.sleep(0.005)
        for _ in range(10):
            # clock: the pace of who runs beside
            await asyncio.sleep(0.005)
        back.free.set()

    with lockstep.serving(back) as url:
        counting = asyncio.ensure_future(count())
        assert [one.text async for one in kept(url, ["x"])] == ["yes"]
        await counting


async def test_outcomes_come_while_rows_are_awaited(bulk):
    """A slow source holds nothing up."""
    taken, found = asyncio.Event(), []

    async def rows():
        yield "first"
        await taken.wait()  # for the outcome of the first
        yield "second"

    async for result in bulk(rows()):
        found.append(result.text)
        taken.set()
    assert found == ["first", "second"]


def taken(run, way):
    """All outcomes of a run, by `for` or by `async for`."""

    async def main():
        return [result async for result in run]

    return list(run) if way == "for" else asyncio.run(main())


@pytest.mark.parametrize("way", ["for", "async for"])
def test_slow_rows_do_not_keep_requests_back(way):
    """Rows that take a moment each are sent as they come: none waits for an answer to another. The
    service answers nothing before it has all of them."""
    rows = 4  # as many as may be in flight at first
    all_came = threading.Barrier(rows)

    def respond(request):
        all_came.wait(60)
        request.send(whole({"choices": [{}]}))

    def slow():
        for number in range(rows):
            time.sleep(0.003)  # clock: this is the slowness, longer than a turn of pulling
            yield f"prompt {number}"

    with lockstep.serving(respond) as url:
        where = {"base_url": url, "api_key": KEY, "model": "m", "attempts": 1}
        results = taken(modelwire.bulk(slow(), **where), way)
    assert [result.error for result in results] == [None] * rows


async def test_awaited_rows_that_raise(bulk):
    """What was pulled before comes out, then the exception."""

    async def rows():
        yield "a"
        yield "b"
        raise LookupError("no more")

    found = []
    with pytest.raises(LookupError, match="no more"):
        async for result in bulk(rows()):
            found.append(result.text)
    assert sorted(found) == ["a", "b"]


def test_awaited_rows_need_a_loop(bulk):
    with pytest.raises(TypeError, match="async for"):
        list(bulk(rows_awaited(["x"])))


@pytest.mark.parametrize("how", ["break", "cancel"])
def test_leaving_an_async_loop_ends_requests_in_flight(quiet, how):
    """Also where rows are awaited."""
    slow = quiet.script("bulk-a-left", ONE_ANSWER)

    async def main():
        source = rows_awaited(PROMPTS)
        run = modelwire.bulk(source, base_url=slow, api_key=KEY, model="m", max_concurrency=4)

        async def loop():
            async for _ in run:
                if how == "break":
                    break

        task = asyncio.ensure_future(loop())
        if how == "cancel":
            # clock: before or in the wait, both are to end the same
            await asyncio.sleep(0.3)
            task.cancel()
        await asyncio.wait([task])
        return run

    run = asyncio.run(main())
    quiet.until_closed()
    assert run.unfinished


async def test_a_wait_that_is_cancelled_loses_nothing(stand_in):
    """The next one takes up where it was."""
    stand_in.set_default(testing.text("yes").stall(0.3))
    run = scripted(stand_in, ["a", "b"])
    found = []
    while len(found) < 2:
        try:
            found.append(await asyncio.wait_for(run.__anext__(), 0.05))
        except asyncio.TimeoutError:
            continue
    assert [one.text for one in found] == ["yes", "yes"]


async def test_two_tasks_await_one_run():
    """One at a time, as of an asynchronous generator."""
    back = Kept()
    with lockstep.serving(back) as url:
        run = kept(url, ["a"])
        first = asyncio.ensure_future(run.__anext__())
        # clock: until the first one awaits, which one turn is enough for
        await asyncio.sleep(0.05)
        with pytest.raises(RuntimeError, match="another task"):
            await run.__anext__()
        back.free.set()
        assert (await first).text == "yes"


# Progress, clients, names.


def test_progress(bulk):
    """A function is told now and then, and once at the end."""
    told = []
    list(bulk(PROMPTS, progress=lambda status: told.append((status.done, status.total))))
    assert told[-1] == (200, 200) and 1 <= len(told) < 100


def test_progress_that_raises(bulk, caplog):
    """It changes nothing; it is logged, once."""

    def tell(status):
        raise ValueError("no display")

    assert len(list(bulk(PROMPTS, progress=tell))) == 200
    [record] = caplog.records
    assert record.name == "modelwire" and record.exc_info[0] is ValueError


def test_progress_that_asks_for_outcomes(bulk, caplog):
    """No hang."""
    run = bulk(PROMPTS, progress=lambda status: next(run))
    assert len(list(run)) == 200
    assert "from within this bulk job" in caplog.text


def test_progress_with_tqdm(bulk, capfd):
    """A bar where it is installed."""
    pytest.importorskip("tqdm")
    list(bulk(PROMPTS, progress=True))
    assert "200/200" in capfd.readouterr().err


def test_progress_without_tqdm(bulk, capfd, monkeypatch):
    """Nothing where standard error is no terminal."""
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    list(bulk(PROMPTS, progress=True))
    assert capfd.readouterr().err == ""


def test_invalid_progress_is_refused(bulk):
    with pytest.raises(TypeError, match="progress"):
        bulk([], progress=3)


def test_a_job_uses_the_settings_of_its_client(service, bulk):
    """Headers, query and sums of the client are those of the job."""
    client = modelwire.OpenAI(
        base_url=service.base_url,
        api_key=lambda: KEY,
        default_headers={"X-Mine": "yes"},
        default_query={"a": "b"},
    )
    assert len(list(bulk(PROMPTS[:3], client=client))) == 3
    seen = service.requests()
    assert len(seen) == 3
    for one in seen:
        assert {name.lower(): value for name, value in one["headers"]}["x-mine"] == "yes"
    assert client.usage()["echo"]["calls"] == 3


def test_a_client_and_a_base_url(service):
    """One of them."""
    client = modelwire.OpenAI(base_url=service.base_url, api_key=KEY)
    with pytest.raises(TypeError, match="client already has base_url"):
        modelwire.bulk([], client=client, base_url="http://localhost/v1")


def test_names():
    """What there is can be imported from modelwire.bulk as well."""
    from modelwire.bulk import (
        BudgetError,
        CheckError,
        Estimate,
        Pilot,
        Repaired,
        Result,
        Rows,
        Status,
        read_parquet,
        repair,
        write_parquet,
    )

    classes = [BudgetError, CheckError, Estimate, Pilot, Repaired, Result, Rows, Status]
    for one in [*classes, read_parquet, repair, write_parquet]:
        assert getattr(modelwire.bulk, one.__name__) is one


# Batches, tables.


@pytest.fixture
def rows(service, monkeypatch):
    monkeypatch.setenv("MODELWIRE_BASE_URL", service.base_url)
    monkeypatch.setenv("MODELWIRE_API_KEY", KEY)
    return modelwire.bulk.Rows(prompt="{text}", model="echo")


def test_a_batch_of_lists(rows):
    """Bad rows are outcomes; the engine is kept from batch to batch."""
    for _ in range(2):
        batch = rows({"text": ["a", None, ["c"], "b"], "n": [1, 2, 3, 4]})
        assert batch["n"] == [1, 2, 3, 4] and batch["answer"] == ["a", None, None, "b"]
        assert [one is None for one in batch["error"]] == [True, False, False, True]
        assert batch["total_tokens"][0] > 0 and batch["total_tokens"][1] is None


def test_a_batch_of_requests(rows, service):
    """As JSON text or as structs."""
    whole = modelwire.bulk.Rows(body="request", model="echo", answer="said")
    given = [json.dumps(ASK), ASK, "no JSON", "3"]
    batch = whole({"request": given})
    assert batch["said"] == ["Say it.", "Say it.", None, None]
    assert batch["error"][:2] == [None, None] and None not in batch["error"][2:]


def test_options_of_rows(stand_in):
    """Replace the defaults for their row: as dicts or JSON text, and not where there are none."""
    where = {"base_url": stand_in.base_url, "api_key": stand_in.api_key, "model": "echo"}
    defaults = {"temperature": 0, "top_p": 1}
    rows = modelwire.bulk.Rows(prompt="{text}", options="params", defaults=defaults, **where)
    params = [{"temperature": 1, "model": "echo-2"}, '{"top_p": 0.5}', None, 3, "no JSON"]
    batch = rows({"text": ["a", "b", "c", "d", "e"], "params": params})
    assert batch["params"] is params and "echo-2" in batch["error"][0]
    assert batch["answer"][1:3] == ["b", "c"] and batch["answer"][3:] == [None, None]
    assert "options is a int" in batch["error"][3] and "cannot be sent" in batch["error"][4]
    sent = {one.body["messages"][0]["content"]: one.body for one in stand_in.requests}
    fields = ("model", "temperature", "top_p")
    assert {name: [body[one] for one in fields] for name, body in sent.items()} == {
        "a": ["echo-2", 1, 1],
        "b": ["echo", 0, 0.5],
        "c": ["echo", 0, 1],
    }


def test_options_of_whole_requests(stand_in):
    """What a request has itself stays."""
    where = {"base_url": stand_in.base_url, "api_key": stand_in.api_key, "model": "echo"}
    whole = modelwire.bulk.Rows(body="request", options="params", **where)
    params = {"temperature": 1, "top_p": 0.5}
    whole({"request": [{**ASK, "temperature": 0}], "params": [params]})
    sent = stand_in.last_request.body
    assert (sent["temperature"], sent["top_p"]) == (0, 0.5)


def test_errors_that_are_raised(stand_in, monkeypatch):
    """The first one ends the batch: rows in flight are cancelled, the others are not sent."""
    monkeypatch.setenv("MODELWIRE_BASE_URL", stand_in.base_url)
    monkeypatch.setenv("MODELWIRE_API_KEY", stand_in.api_key)
    rows = modelwire.bulk.Rows(prompt="{text}", model="echo", errors="raise", max_concurrency=2)
    with pytest.raises(modelwire.RequestError, match="has no value here"):
        rows({"text": [*PROMPTS, None]})
    assert stand_in.requests == []
    stand_in.queue(testing.error(500), testing.text("x").stall())
    stand_in.set_default(testing.text("x").stall())
    with pytest.raises(modelwire.InternalServerError):
        rows({"text": PROMPTS})
    assert len(stand_in.requests) < 10
    eventually("nothing is in flight", lambda: stand_in.open_connections == 0)
    stand_in.reset()
    assert rows({"text": ["a", "b"]})["answer"] == ["a", "b"]


def test_how_errors_are_given_is_checked():
    with pytest.raises(ValueError, match="errors is 'ignore'"):
        modelwire.bulk.Rows(prompt="{text}", model="echo", errors="ignore")


def test_batches_of_libraries(rows):
    """Numpy, pandas and Arrow give what they got."""
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    arrays = rows({"text": numpy.array(["a", "b"], dtype=object), "n": numpy.array([1, 2])})
    assert arrays["answer"].tolist() == ["a", "b"] and arrays["n"].dtype == numpy.array([1]).dtype
    frame = rows(pandas.DataFrame({"text": ["a", "b"], "n": [1, 2]}, index=[7, 9]))
    assert frame["answer"].tolist() == ["a", "b"] and frame.index.tolist() == [7, 9]
    table = rows(pyarrow.table({"text": ["a", None]}))
    assert table.column("answer").to_pylist() == ["a", None]
    assert table.schema.field("total_tokens").type == pyarrow.int64()
    assert table.column("error").to_pylist()[0] is None


def test_a_batch_without_the_column(rows):
    """It names the columns that are there."""
    with pytest.raises(KeyError, match="other"):
        rows({"other": ["x"]})


def test_a_batch_with_a_wrong_key(rows, monkeypatch):
    """Raises, for no row can do better; the next batch begins anew."""
    monkeypatch.setenv("MODELWIRE_API_KEY", "sk-wrong")
    with pytest.raises(modelwire.AuthenticationError):
        rows({"text": PROMPTS})
    monkeypatch.setenv("MODELWIRE_API_KEY", KEY)
    assert rows({"text": ["x"]})["answer"] == ["x"]


def test_rows_are_pickled(rows):
    """Without their engine."""
    import pickle

    rows({"text": ["x"]})
    again = pickle.loads(pickle.dumps(rows))
    assert again({"text": ["y"]})["answer"] == ["y"]


def test_parquet(bulk, tmp_path):
    """Rows of a file, and results as one."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"text": PROMPTS, "n": list(range(200)), "other": ["x"] * 200})
    parquet.write_table(table, tmp_path / "in.parquet")
    rows = modelwire.bulk.read_parquet(tmp_path / "in.parquet", columns=["text", "n"])
    run = bulk(rows, prompt="{text}")
    assert modelwire.bulk.write_parquet(run, tmp_path / "out.parquet") == 200
    written = parquet.read_table(tmp_path / "out.parquet").sort_by("n").to_pydict()
    assert written["answer"] == PROMPTS and written["n"] == list(range(200))
    assert written["error"] == [None] * 200 and "other" not in written
    for given in (table, table.to_reader(), table.to_batches()[0]):
        assert len(list(bulk(given, prompt="{text}"))) == 200


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    """Says what to install."""
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        modelwire.bulk.read_parquet(Path(tmp_path / "in.parquet"))


@pytest.mark.thread_unsafe("the descriptors and threads of the process are counted")
def test_no_descriptor_or_thread_is_left_open(quiet):
    """Descriptors and threads of a job go with it."""

    def once():
        where = {"base_url": quiet.base_url, "api_key": KEY}
        with modelwire.OpenAI(**where) as client:
            assert len(list(modelwire.bulk(PROMPTS[:5], client=client, model="echo"))) == 5

    def bulk_threads():
        names = (Path(f"/proc/self/task/{one}/comm") for one in os.listdir("/proc/self/task"))
        return sum(1 for one in names if one.exists() and one.read_text() == "modelwire-bulk\n")

    gc.collect()  # tracebacks of other tests hold engines, and some Pythons collect seldom
    once()
    quiet.until_closed()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        once()
    quiet.until_closed()
    eventually("no thread is left", lambda: bulk_threads() == 0)
    eventually("no descriptor", lambda: len(os.listdir("/proc/self/fd")) <= before + 2)


# What is kept on disk.


def lines(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def test_an_output(bulk, service, tmp_path):
    """Each result is a line of it; a second run has nothing to do."""
    output = tmp_path / "out.jsonl"
    run = bulk(PROMPTS, output=output)
    assert len(list(run)) == 200
    kept = lines(output)
    assert {one["response"]["body"]["choices"][0]["message"]["content"] for one in kept} == set(
        PROMPTS
    )
    assert all(one["custom_id"].startswith("sha256-") and one["error"] is None for one in kept)
    again = bulk([*PROMPTS, "one more"], output=output)
    assert [one.text for one in again] == ["one more"] and again.skipped == 200
    assert len(lines(output)) == len(service.requests()) == 201


@pytest.mark.parametrize("make", [iter, rows_awaited], ids=["iter", "async"])
def test_many_rows_that_are_skipped(bulk, tmp_path, make):
    """More of them than are pulled ahead, in a loop of either kind."""
    output = tmp_path / "out.jsonl"
    many = [f"row {number}" for number in range(600)]
    assert len(list(bulk(many, output=output))) == 600

    async def again():
        run = bulk(make([*many, "one more"]), output=output)
        return [one.text async for one in run], run.skipped

    assert asyncio.run(again()) == (["one more"], 600)
    run = bulk(iter([*many, "one more", "and one"]), output=output)
    assert [one.text for one in run] == ["and one"] and run.skipped == 601


def test_an_output_in_order(bulk, tmp_path):
    """Lines and outcomes in the order of the rows."""
    output = tmp_path / "out.jsonl"
    rows = [(f"row-{number}", prompt) for number, prompt in enumerate(PROMPTS)]
    assert [one.row for one in bulk(iter(rows), output=output, ordered=True)] == rows
    assert [one["custom_id"] for one in lines(output)] == [name for name, _ in rows]


def test_an_abandoned_output_is_resumed(bulk, service, tmp_path):
    """What was on its way comes in; no row is lost or sent twice."""
    output = tmp_path / "out.jsonl"
    for taken, _ in enumerate(bulk(iter(PROMPTS), output=output, max_concurrency=8), 1):
        if taken == 20:
            break
    before = len(lines(output))
    assert before >= 20
    run = bulk(iter(PROMPTS), output=output)
    assert len(list(run)) == 200 - before and run.skipped == before and run.unknown == []
    assert len(service.requests()) == 200
    asked = {one["response"]["body"]["choices"][0]["message"]["content"] for one in lines(output)}
    assert asked == set(PROMPTS)


def test_failed_rows_are_retried_on_request(stand_in, tmp_path):
    """Only where that is asked for."""
    output = tmp_path / "out.jsonl"
    stand_in.queue(testing.error(500))
    [failed] = scripted(stand_in, ["x"], output=output)
    assert failed.error is not None and lines(output)[0]["error"]
    kept = scripted(stand_in, ["x"], output=output)
    assert list(kept) == [] and kept.skipped == 1
    [again] = scripted(stand_in, ["x"], output=output, retry_failed=True)
    assert again.text == "x"
    [line] = lines(output)
    assert line["error"] is None


def test_failed_rows_have_a_file_in_the_form_of_batches(stand_in, tmp_path):
    """Replaced at the end of each run, also where the loop is left."""
    files = {"output": tmp_path / "out.jsonl", "errors": tmp_path / "errors.jsonl"}
    rows = [("a", "x"), ("b", {"messages": {1}}), ("c", "z")]
    stand_in.queue(testing.error(500))
    failed = [one for one in scripted(stand_in, rows, max_concurrency=1, **files) if one.error]
    found = {one["custom_id"]: one for one in lines(files["errors"])}
    assert {one.custom_id for one in failed} == found.keys() == {"a", "b"}
    assert list(found["a"]) == ["id", "custom_id", "response", "error"]
    assert found["a"]["response"]["status_code"] == 500 and found["b"]["response"] is None
    for one in failed:
        assert list(found[one.custom_id]["error"]) == ["code", "message"]
        assert found[one.custom_id]["error"]["message"] in str(one.error)
    for _ in scripted(stand_in, [("a", "x")], retry_failed=True, **files):
        break
    assert lines(files["errors"]) == []
    with pytest.raises(ValueError, match="errors is made of the results in output"):
        scripted(stand_in, ["x"], errors=files["errors"])
    for name, said in (("out.jsonl", "is also the file for the results"), ("none/e", "no folder")):
        with pytest.raises((ValueError, OSError), match=said):
            list(scripted(stand_in, ["x"], output=files["output"], errors=tmp_path / name))
    with pytest.raises(ValueError, match="named like CSV, but results are JSON lines"):
        list(scripted(stand_in, ["x"], output=tmp_path / "out.csv"))


def test_no_rows_are_no_error(bulk, tmp_path):
    """As a loop over an empty list is none."""
    output = tmp_path / "out.jsonl"
    assert list(bulk([])) == [] and list(bulk(iter(()), output=output)) == []
    assert lines(output) == []


def test_names_that_are_given_twice_or_changed(bulk, tmp_path):
    """Outcomes that say so; the others go on."""
    output = tmp_path / "out.jsonl"
    results = list(bulk([("a", "x"), ("a", "y"), ("b", "z")], output=output))
    [twice] = [one for one in results if one.error is not None]
    assert "custom_id 'a' was used before" in str(twice.error) and len(results) == 3
    [changed] = bulk([("a", "other")], output=output)
    assert "with different content" in str(changed.error)


def test_invalid_rows_are_written_as_failed(bulk, service, tmp_path):
    """As failed ones: a second run skips them, but where they are to go again."""
    output, bad = tmp_path / "out.jsonl", [5, ("n", {"messages": {1}}), {"messages": b"x"}]
    failed = [one for one in bulk(["a", *bad, 5], output=output) if one.error is not None]
    kept = {one["custom_id"]: one for one in lines(output)}
    assert len(failed) == 4 and len(kept) == 5
    for one in failed:
        assert kept[one.custom_id]["error"]["message"] == str(one.error)
    again = bulk(["a", *bad, 5, "b"], output=output, ordered=False)
    assert [one.text for one in again] == ["b"] and again.skipped == 5
    mended = bulk([*bad[:1], ("n", "x")], output=output, retry_failed=True)
    assert {one.custom_id == "n": one.text for one in mended} == {False: None, True: "x"}
    assert len(service.requests()) == 3


@pytest.mark.parametrize(
    ("operation", "path"), [("chat", "chat/completions"), ("responses", "responses")]
)
def test_the_error_of_a_row_has_the_address(bulk, service, operation, path):
    """That of its operation, as that of a single call."""
    [failed] = bulk(["x"], model="no-such-model", operation=operation)
    assert failed.error.request.url == f"{service.base_url}/{path}"


def test_an_invalid_row_does_not_replace_an_earlier_result(bulk, service, tmp_path):
    """An answer that was billed stays in the results, whatever its row has become."""
    output = tmp_path / "out.jsonl"
    assert [one.text for one in bulk([("n", "x")], output=output)] == ["x"]
    for _ in range(2):
        [failed] = bulk([("n", {"messages": {1}})], output=output)
        assert "cannot be sent" in str(failed.error)
        assert [one["error"] for one in lines(output)] == [None]
    assert list(bulk([("n", "x")], output=output)) == [] and len(service.requests()) == 1


def test_invalid_rows_keep_their_place_in_order(bulk, tmp_path):
    """Each line in its place."""
    output = tmp_path / "out.jsonl"
    rows = [("1", "a"), ("2", {"messages": {1}}), ("3", "b")]
    assert [one.custom_id for one in bulk(rows, output=output, ordered=True)] == ["1", "2", "3"]
    assert [one["custom_id"] for one in lines(output)] == ["1", "2", "3"]


def test_two_runs_on_one_output(tmp_path):
    """The second one waits a moment, for the first may be about to end."""
    output, back = tmp_path / "out.jsonl", Kept(first=1)
    with lockstep.serving(back) as url:
        first = kept(url, iter(PROMPTS[:3]), output=output)
        next(first)
        with pytest.raises(OSError, match="out.jsonl"):
            list(kept(url, PROMPTS, output=output))
        back.free.set()
        assert len(list(first)) == 2


def test_an_output_that_cannot_be_created_raises(bulk, tmp_path):
    """The error names the file; nothing is sent."""
    with pytest.raises(OSError, match="no-such-folder"):
        list(bulk(PROMPTS, output=tmp_path / "no-such-folder" / "out.jsonl"))


@pytest.mark.thread_unsafe("it is a program of its own")
@pytest.mark.parametrize(
    "left",
    [
        "next(run)",
        "run = iter(run); next(run); del run",
        "asyncio.run(first(run))",
    ],
    ids=["next", "for", "async"],
)
def test_an_exiting_program_finishes_requests_in_flight(stand_in, tmp_path, left):
    """Nothing is unknown to the next one."""
    output = tmp_path / "out.jsonl"
    # The others are on their way when the first one is answered.
    stand_in.queue(testing.text("yes").stall(1))
    stand_in.set_default(testing.text("yes").stall(2))
    source = f"""
    import asyncio
    async def first(run):
        async for result in run:
            break
    rows = map(str, range(500))
    run = modelwire.bulk(rows, model="m", output={str(output)!r}, max_concurrency=4,
        api_key={stand_in.api_key!r})
    {left}
    """
    assert programs.run(source, stand_in.base_url) == ""
    before = len(lines(output))
    again = scripted(stand_in, map(str, range(before + 1)), model="m", output=output)
    assert len(list(again)) == 1 and again.unknown == [] and again.skipped == before > 1


def test_a_killed_program(service, tmp_path):
    """SIGKILL in the midst: no row is lost, and what may be paid twice is named."""
    output = tmp_path / "out.jsonl"
    source = f"""
    rows = ((f"row-{{n}}", f"prompt {{n}}") for n in range(3000))
    run = modelwire.bulk(rows, model="echo", output={str(output)!r}, max_concurrency=8)
    for taken, result in enumerate(run, 1):
        if taken == 200 and len(sys.argv) > 1:
            os.kill(os.getpid(), signal.SIGKILL)
    print(run.skipped, len(run.unknown), run.status().done)
    """
    command = programs.command(source)
    settings = programs.environment(service.base_url)
    killed = programs.subprocess.run([*command, "die"], env=settings, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    done = programs.finished(command, env=settings)
    assert done.stderr == "", done.stderr
    skipped, unknown, answered = map(int, done.stdout.split())
    assert skipped + answered == 3000 and unknown < 300
    assert {one["custom_id"] for one in lines(output)} == {f"row-{n}" for n in range(3000)}
    asked = [json.dumps(one["body"]) for one in service.requests()]
    assert len(asked) - len(set(asked)) <= unknown
