"""`modelwire.bulk` sends equal rows once, and reuses answers of other jobs."""

import asyncio
import json

import pytest

import modelwire
from conftest import KEY
from modelwire import testing
from wire import ANSWER

ROWS = [(f"row-{number:03}", f"say {number % 4}") for number in range(100)]


@pytest.fixture
def bulk(service):
    """A bulk job of the played service; ended with the test."""
    made = []

    def make(rows, **settings):
        where = {"base_url": service.base_url, "api_key": KEY, "model": "echo"}
        run = modelwire.bulk(rows, **{**where, **settings})
        made.append(run)
        return run

    yield make
    for run in made:
        run.close()


def check(service, results, asked=4):
    """Each row has its own answer, and this many requests were sent."""
    assert sorted((one.row, one.text) for one in results) == [(row, row[1]) for row in ROWS]
    assert len(service.requests()) == asked
    assert sum(one.attempts for one in results) == asked


@pytest.mark.parametrize("settings", [{}, {"ordered": True}, {"max_concurrency": 1}])
@pytest.mark.parametrize("output", [None, "out.jsonl", "out.jsonl.gz"])
def test_equal_rows_are_sent_once(service, bulk, tmp_path, output, settings):
    """From a generator, with and without an output; the others get copies."""
    if output is not None:
        settings = {**settings, "output": tmp_path / output}
    run = bulk((row for row in ROWS), once=True, **settings)
    results = list(run)
    if "ordered" in settings:
        assert [one.row for one in results] == ROWS
    check(service, results)
    status = run.status()
    assert (status.done, status.equal, status.reused, status.sent) == (100, 96, 0, 4)
    answered = [one for one in results if one.attempts]
    assert status.tokens == sum(one.response.usage.total_tokens for one in answered)
    if output is not None:
        again = bulk(ROWS, once=True, **settings)
        assert list(again) == []
        assert again.skipped == 100
        assert len(service.requests()) == 4


def test_many_more_equal_rows_than_are_pulled_ahead(service, bulk):
    """The first one ends them, so that the others can be pulled."""
    run = bulk((str(number // 9_000) for number in range(18_000)), once=True)
    assert {one.row: one.text for one in run} == {"0": "0", "1": "1"}
    assert (run.status().done, len(service.requests())) == (18_000, 2)


def test_equal_rows_in_an_event_loop(service, bulk):
    """Rows of an asynchronous generator."""

    async def rows():
        for row in ROWS:
            yield row
            await asyncio.sleep(0)

    async def main():
        return [one async for one in bulk(rows(), once=True)]

    check(service, asyncio.run(main()))


def test_equal_rows_fail_with_the_first_one(stand_in, tmp_path):
    """They have the same exception, but were not metered."""
    where = {"base_url": stand_in.base_url, "api_key": stand_in.api_key, "model": "echo"}
    settings = {**where, "once": True, "output": tmp_path / "out.jsonl", "max_concurrency": 1}
    stand_in.queue(testing.error(500))
    results = list(modelwire.bulk(ROWS, **settings))
    failed = [one for one in results if one.error]
    assert (len(results), len(failed), len(stand_in.requests)) == (100, 25, 4)
    assert len({(type(one.error), one.error.message) for one in failed}) == 1
    assert sorted(one.error.metered for one in failed) == ["not_sent"] * 24 + ["unknown"]
    again = list(modelwire.bulk(ROWS, retry_failed=True, **settings))
    assert [one.error for one in again] == [None] * 25
    assert len(stand_in.requests) == 5


@pytest.mark.parametrize("name", ["old.jsonl", "old.jsonl.gz", "old.jsonl.zst"])
@pytest.mark.parametrize("output", [None, "new.jsonl"])
def test_answers_of_another_job_are_reused(service, bulk, tmp_path, name, output):
    """They come as results, with what the service had sent."""
    old = {one.row[1]: one.response for one in bulk(ROWS[:2], output=tmp_path / name)}
    settings = {} if output is None else {"output": tmp_path / output}
    run = bulk(ROWS, reuse=[tmp_path / name], **settings)
    results = list(run)
    assert len(service.requests()) == 52
    reused = [one for one in results if one.attempts == 0]
    assert (len(reused), run.status().reused, run.status().sent) == (50, 50, 50)
    for one in reused:
        assert one.response.to_dict() == old[one.row[1]].to_dict()
        assert one.response._request_id == old[one.row[1]]._request_id
    if output is not None:
        lines = [json.loads(line) for line in (tmp_path / output).read_text().splitlines()]
        assert {line["custom_id"] for line in lines} == {name for name, _ in ROWS}


def test_a_pilot_counts_rows_that_are_sent(service, bulk, tmp_path):
    """And its sample has no equal rows."""
    rows = [(str(number), f"say {number % 50}") for number in range(200)]
    list(bulk(rows[:10], output=tmp_path / "old.jsonl"))
    run = bulk(rows, once=True, reuse=str(tmp_path / "old.jsonl"))
    pilot = run.pilot(20)
    assert (pilot.rows, pilot.pilot_rows) == (40, 20)
    assert {(one.row, one.text) for one in run} == {(row, row[1]) for row in rows}
    status = run.status()
    assert (status.done, status.equal, status.reused, status.sent) == (200, 120, 40, 40)
    assert len(service.requests()) == 50


def test_what_cannot_be_reused_is_refused(bulk, tmp_path):
    """When the first result is requested; nothing is sent."""
    (tmp_path / "text.jsonl").write_text("hello\n")
    (tmp_path / "part.jsonl").write_text("hello\n")
    with pytest.raises(OSError, match=r"none.jsonl: "):
        next(bulk(["x"], reuse=tmp_path / "none.jsonl"))
    with pytest.raises(ValueError, match="no line of it is a result"):
        next(bulk(["x"], reuse=tmp_path / "text.jsonl"))
    out = tmp_path / "out.jsonl"
    list(bulk(["x"], output=out))
    with pytest.raises(ValueError, match="it has the results of this job"):
        next(bulk(["x"], output=out, reuse=out))
    assert len(list(bulk(["x"], output=out))) == 0


def test_lines_that_are_not_reused_are_logged(bulk, tmp_path, caplog):
    """Once, with their number."""
    out = tmp_path / "out.jsonl"
    list(bulk(["x"], output=out))
    out.write_text(out.read_text() + "hello\n" + json.dumps(ANSWER) + "\n")
    [result] = bulk(["x"], reuse=out)
    assert (result.text, result.attempts) == ("x", 0)
    [record] = [one for one in caplog.records if "not reused" in one.message]
    assert record.message.endswith("whole results: 2 of its lines")
