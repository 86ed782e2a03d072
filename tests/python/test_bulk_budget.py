"""The brakes of `modelwire.bulk`: budgets, pilots, patience, a timeout for each row. What a job
used is what the stand-in billed. Also the repair of its files."""

import asyncio
import json
import threading
from pathlib import Path

import pytest

import modelwire
from conftest import KEY, eventually
from modelwire import testing

ROWS = [f"{'word ' * (1 + number % 7)}{number}" for number in range(200)]
BOUND = {"max_tokens": 5}
PRICES = {"echo": {"in": 1.0, "out": 3.0}}

ways = pytest.mark.parametrize("way", ["for", "async for"])


def job(stand_in, rows, **settings):
    where = {"base_url": stand_in.base_url, "api_key": stand_in.api_key, "model": "echo"}
    return modelwire.bulk(rows, **{**where, "defaults": BOUND, **settings})


def taken(run, way, most=None):
    """Its results, and the BudgetError that ended it."""
    results, ended = [], None

    async def main():
        async for result in run:
            results.append(result)
            if len(results) == most:
                break

    try:
        if way == "async for":
            asyncio.run(main())
        else:
            for result in run:
                results.append(result)
                if len(results) == most:
                    break
    except modelwire.bulk.BudgetError as error:
        ended = error
    return results, ended


def piloted(run, way, *size):
    return asyncio.run(run.apilot(*size)) if way == "async for" else run.pilot(*size)


def billed(stand_in):
    """Calls, and tokens in and out."""
    found = stand_in.metered.get("echo", {})
    return [found.get(name, 0) for name in ("calls", "input_tokens", "output_tokens")]


def lines(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


# Budgets.


@ways
def test_max_total_tokens_is_not_exceeded(stand_in, way):
    """The job ends before; every row was answered or is unfinished."""
    run = job(stand_in, iter(ROWS), max_total_tokens=1000)
    results, ended = taken(run, way)
    calls, tokens_in, tokens_out = billed(stand_in)
    assert 700 < tokens_in + tokens_out <= 1000
    assert "stopped by the maximum of 1000 tokens" in str(ended) and ended.kind == "budget"
    assert len(results) == calls < len(ROWS) and {one.error for one in results} == {None}
    pulled = ROWS[: run.status().rows]
    assert sorted([*(one.row for one in results), *run.unfinished]) == sorted(pulled)
    assert list(run) == [] and run.status().tokens == tokens_in + tokens_out


@ways
@pytest.mark.parametrize("form", ["two prices", "by model", "file"])
def test_max_cost_is_not_exceeded(stand_in, tmp_path, way, form):
    """With prices in each form."""
    file = tmp_path / "prices.json"
    file.write_text(json.dumps(PRICES))
    prices = {
        "two prices": {"price_in": 1, "price_out": 3},
        "by model": {"prices": PRICES, "price_in": 900, "price_out": 900},
        "file": {"prices": file},
    }[form]
    run = job(stand_in, ROWS, max_cost=0.0015, **prices)
    _, ended = taken(run, way)
    _, tokens_in, tokens_out = billed(stand_in)
    cost = (tokens_in + 3 * tokens_out) / 1e6
    assert 0.001 < cost <= 0.0015 and "stopped by the maximum cost" in str(ended)
    assert run.status().cost == pytest.approx(cost)


def test_a_budget_that_suffices(stand_in):
    """Changes nothing."""
    results, ended = taken(job(stand_in, ROWS, max_total_tokens=10**9), "for")
    assert ended is None and {one.row for one in results} == set(ROWS)


def test_a_budget_that_allows_no_row(stand_in):
    """Nothing is sent."""
    results, ended = taken(job(stand_in, ROWS, max_total_tokens=0), "for")
    assert results == [] and ended is not None and stand_in.requests == []


@pytest.mark.parametrize(("may_pay_twice", "sent"), [(False, 1), (True, 5)])
def test_failed_attempts_count_with_their_maximum(stand_in, may_pay_twice, sent):
    """Each may have been metered: the input is its bytes, the output max_tokens."""
    stand_in.set_default(testing.error(500))
    [failed] = job(stand_in, ["x"], may_pay_twice=may_pay_twice)
    assert failed.attempts == len(stand_in.requests) == sent
    body = len(json.dumps(stand_in.last_request.body, separators=(",", ":")).encode())
    most = sent * (body + 5)
    stand_in.set_default(None)
    for max_tokens, is_sent in ((most, True), (most - 1, False)):
        run = job(stand_in, ["x"], may_pay_twice=may_pay_twice, max_total_tokens=max_tokens)
        results, ended = taken(run, "for")
        assert (len(results) == 1, ended is None) == (is_sent, is_sent)


def test_a_row_without_a_limit_is_reported(stand_in, caplog):
    """Once: its budget is an estimate."""
    taken(job(stand_in, ROWS, defaults=None, max_total_tokens=10**9), "for")
    [record] = caplog.records
    assert record.name == "modelwire" and "does not limit its output" in record.getMessage()


@ways
def test_a_budget_and_an_output(stand_in, tmp_path, way):
    """Another run continues with another budget, and pays nothing twice."""
    output = tmp_path / "out.jsonl"
    first, ended = taken(
        job(stand_in, ROWS, output=output, ordered=True, max_total_tokens=900), way
    )
    assert ended is not None and len(first) == len(lines(f"{output}.part")) == billed(stand_in)[0]
    run = job(stand_in, ROWS, output=output, ordered=True, max_total_tokens=10**9)
    second, ended = taken(run, way)
    assert ended is None and run.skipped == len(first) and run.unknown == []
    assert billed(stand_in)[0] == len(first) + len(second) == len(lines(output)) == len(ROWS)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"max_cost": 1}, "a maximum cost needs prices"),
        ({"max_cost": -1, "price_in": 1, "price_out": 1}, "maximum cost must be a number"),
        ({"max_cost": 1, "price_in": 1}, "none for output tokens"),
        ({"price_in": -1, "price_out": 1}, "price of input tokens: invalid price -1"),
        ({"prices": {"m": {"in": 1}}}, 'model "m": "out" is missing'),
        ({"max_total_tokens": -1}, "max_total_tokens is -1"),
        ({"max_total_tokens": 1.5}, "max_total_tokens is 1.5"),
        ({"max_total_tokens": True}, "max_total_tokens is True"),
        ({"patience": -1}, "patience is -1"),
        ({"patience": float("nan")}, "patience is nan"),
        ({"patience": float("inf")}, "patience is inf"),
    ],
)
def test_invalid_budgets_are_refused(stand_in, settings, says):
    """At once."""
    with pytest.raises(ValueError, match=says):
        job(stand_in, ROWS, **settings)


def test_a_file_of_prices_that_is_not_there(stand_in):
    with pytest.raises(OSError, match=r"none\.json: the prices cannot be read"):
        job(stand_in, ROWS, prices="none.json")


def test_a_model_without_a_price(stand_in):
    """Ends the job before its row; a pilot finds it before anything is sent."""
    rows = [*ROWS[:20], {"messages": [{"role": "user", "content": "x"}], "model": "other"}]
    run = job(stand_in, rows, max_cost=1, prices=PRICES)
    with pytest.raises(modelwire.RequestError, match='no price for model "other"'):
        list(run)
    assert billed(stand_in)[0] == 20
    stand_in.reset()
    with pytest.raises(ValueError, match='no price for model "other"'):
        job(stand_in, rows, max_cost=1, prices=PRICES).pilot()
    assert stand_in.requests == []


# Pilots.


@ways
@pytest.mark.parametrize("ordered", [False, True])
def test_a_pilot(stand_in, way, ordered):
    """Runs a random sample and nothing more; the rest follows, each row once."""
    run = job(stand_in, ROWS, ordered=ordered, prices=PRICES)
    pilot = piloted(run, way, 40)
    calls, tokens_in, tokens_out = billed(stand_in)
    assert calls == pilot.pilot_rows == run.status().rows == run.status().done == 40
    assert pilot.rows == run.status().total == 200 and pilot.failed == pilot.without_usage == 0
    sampled = [one.body["messages"][0]["content"] for one in stand_in.requests]
    assert set(sampled) <= set(ROWS) and sorted(sampled) != sorted(ROWS[:40])
    results, _ = taken(run, way)
    assert billed(stand_in)[0] == run.status().rows == 200
    rows = [one.row for one in results]
    assert rows == ROWS if ordered else (set(rows[:40]) == set(sampled) and set(rows) == set(ROWS))
    # The sample is random; these hold for each.
    assert pilot.tokens_out.most >= billed(stand_in)[2]
    assert pilot.tokens_in.most >= billed(stand_in)[1]
    for estimate in (pilot.tokens_in, pilot.tokens_out, pilot.cost):
        assert 0 < estimate.low <= estimate.point <= estimate.high <= estimate.most
    assert pilot.tokens_out.point == pytest.approx(tokens_out * 5)
    assert tokens_in * 5 == pytest.approx(pilot.tokens_in.point, rel=0.5)
    assert pilot.failed_share.point == 0 < pilot.failed_share.high < pilot.failed_share.most <= 1
    assert pilot.elapsed > 0 and pilot.time > 0 and pilot.concurrency >= 1


@ways
def test_a_pilot_is_asked_and_left(stand_in, way, tmp_path):
    """Its results are kept; another run pays for the others only."""
    output = tmp_path / "out.jsonl"
    run = job(stand_in, ROWS, output=output)
    assert piloted(run, way).pilot_rows == 20  # the default
    run.close()
    assert billed(stand_in)[0] == len(lines(output)) == 20
    again = job(stand_in, ROWS, output=output)
    assert piloted(again, way, 10).rows == 180
    results, _ = taken(again, way)
    assert len(results) == 180 and again.skipped == 20 and again.status().rows == 200
    assert (
        billed(stand_in)[0]
        == len(lines(output))
        == len({one["custom_id"] for one in lines(output)})
        == 200
    )


@pytest.mark.parametrize("with_output", [False, True])
def test_a_pilot_leaves_bad_rows_to_the_rest(stand_in, tmp_path, with_output):
    """Failed rows of the sample are not sent again."""
    rows = [3, *ROWS[:10], {"messages": b"x"}, *ROWS[:10]]
    settings = {"output": tmp_path / "out.jsonl"} if with_output else {}
    stand_in.queue(testing.error(500))
    run = job(stand_in, rows, ordered=True, **settings)
    pilot = run.pilot(1000)
    assert (pilot.rows, pilot.pilot_rows, pilot.failed) == (20, 20, 1)
    assert len(stand_in.requests) == 20
    results = list(run)
    assert [one.row for one in results] == rows and len(stand_in.requests) == 20
    assert sum(one.error is not None for one in results) == 3 and run.skipped == 0
    if with_output:
        assert len(lines(settings["output"])) == 22


def test_a_pilot_of_nothing(stand_in):
    pilot = job(stand_in, []).pilot()
    assert (pilot.rows, pilot.pilot_rows, pilot.cost, pilot.tokens_in) == (0, 0, None, None)


@ways
def test_a_pilot_within_a_budget(stand_in, way):
    """The sample is in it; BudgetError ends the pilot, and results that came are not lost."""
    run = job(stand_in, ROWS, max_total_tokens=1000)
    with pytest.raises(modelwire.bulk.BudgetError):
        piloted(run, way, 150)
    calls, tokens_in, tokens_out = billed(stand_in)
    assert 700 < tokens_in + tokens_out <= 1000
    results, ended = taken(run, way)
    assert len(results) == calls and ended is None and len(run.unfinished) == 150 - calls
    run = job(stand_in, ROWS, max_total_tokens=1000)
    piloted(run, way, 20)
    results, ended = taken(run, way)
    assert ended is not None and sum(billed(stand_in)[1:]) - tokens_in - tokens_out <= 1000


@ways
def test_a_pilot_with_a_wrong_key(stand_in, way):
    run = job(stand_in, ROWS, api_key="sk-wrong")
    with pytest.raises(modelwire.AuthenticationError):
        piloted(run, way)
    assert taken(run, way) == ([], None) and len(stand_in.requests) < 20


def test_rows_that_cannot_be_read_again(stand_in):
    """No sample can be drawn from them; the job is still usable."""

    async def awaited():
        yield "x"

    run = job(stand_in, iter(ROWS))
    with pytest.raises(TypeError, match="can be read only once"):
        run.pilot()
    assert len(list(run)) == 200
    with pytest.raises(TypeError, match="can be read only once"):
        job(stand_in, awaited()).pilot()


def test_a_pilot_that_comes_too_late(stand_in):
    run = job(stand_in, ROWS)
    next(run)
    with pytest.raises(RuntimeError, match="before the first result"):
        run.pilot()
    run.close()
    with pytest.raises(ValueError, match="rows is 0"):
        job(stand_in, ROWS).pilot(0)


def test_a_pilot_that_is_closed(stand_in):
    """By another thread: it raises, and does not hang."""
    stand_in.set_default(testing.text("x").stall())
    run = job(stand_in, ROWS)
    closing = threading.Thread(target=lambda: (has_requests(stand_in), run.close()))
    closing.start()
    with pytest.raises(modelwire.OpenAIError, match="closed during its pilot"):
        run.pilot()
    closing.join()
    assert len(run.unfinished) == 20


def has_requests(stand_in):
    eventually("one came", lambda: stand_in.requests)


# Patience, timeouts.


@ways
def test_patience_ends_a_job_that_is_refused(stand_in, way):
    """With the exception of the last refusal."""
    stand_in.set_default(testing.error(429, retry_after=0.01))
    run = job(stand_in, ROWS, patience=0.2)
    with pytest.raises(modelwire.RateLimitError):
        taken(run, way)
    assert run.unfinished and billed(stand_in)[0] == 0


@ways
@pytest.mark.parametrize("has_client", [False, True])
def test_a_timeout_of_a_row(stand_in, way, has_client):
    """A row that gets no answer fails, and the others go on."""
    stand_in.queue(testing.text("x").stall())
    settings = {"timeout": 0.5}
    if has_client:
        client = modelwire.OpenAI(base_url=stand_in.base_url, api_key=KEY)
        settings |= {"client": client, "base_url": None, "api_key": None}
    results, _ = taken(job(stand_in, ROWS[:10], **settings), way)
    [failed] = [one.error for one in results if one.error is not None]
    assert isinstance(failed, modelwire.APITimeoutError) and len(results) == 10


# Repairs.


@pytest.mark.parametrize("ordered", [False, True])
def test_a_repair(stand_in, tmp_path, ordered):
    """A damaged output is refused, repaired, and resumed; only the damaged row is paid again."""
    output = tmp_path / "out.jsonl"
    settings = {"output": output, "ordered": ordered}
    assert len(list(job(stand_in, ROWS, **settings))) == 200
    whole = output.read_bytes()
    place = len(whole) // 2
    output.write_bytes(whole[:place] + bytes(9) + whole[place + 9 :])
    with pytest.raises(OSError, match=r"out\.jsonl"):
        list(job(stand_in, ROWS, **settings))
    repaired = modelwire.bulk.repair(output, ordered=ordered)
    assert (repaired.results, repaired.dropped, repaired.lost) == (199, 1, 0)
    assert len(repaired.unknown) == 1 and len(repaired.saved) == 2
    assert Path(repaired.unknown_file).read_text().split() == repaired.unknown
    assert Path(repaired.saved[0]).read_bytes()[place : place + 9] == bytes(9)
    run = job(stand_in, ROWS, **settings)
    [again] = run
    assert run.skipped == 199 and run.unknown == repaired.unknown == [again.custom_id]
    assert len(lines(output)) == 200 and billed(stand_in)[0] == 201


def test_what_cannot_be_repaired(tmp_path):
    """Raises; another job's files, too, if its run is going on."""
    with pytest.raises(OSError, match=r"none\.jsonl"):
        modelwire.bulk.repair(tmp_path / "none.jsonl")
    (tmp_path / "text").write_text("no results")
    with pytest.raises(OSError, match="cannot be repaired"):
        modelwire.bulk.repair(tmp_path / "text")
