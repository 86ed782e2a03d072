"""Checked answers of `modelwire.bulk`: by name and by functions, asked again, and kept."""

import asyncio
import json
import pickle

import pytest

import modelwire
from modelwire import testing

SCHEMA = {"type": "object", "required": ["age"], "properties": {"age": {"type": "integer"}}}
FORM = {"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA}}
BOUND = {"max_tokens": 50}

ways = pytest.mark.parametrize("way", ["for", "async for"])


def job(stand_in, rows, **settings):
    where = {"base_url": stand_in.base_url, "api_key": stand_in.api_key, "model": "echo"}
    return modelwire.bulk(rows, **{**where, "defaults": BOUND, **settings})


def taken(run, way):
    async def main():
        return [result async for result in run]

    return asyncio.run(main()) if way == "async for" else list(run)


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def cut(**settings):
    return testing.text("cut", finish_reason="length", **settings)


@ways
@pytest.mark.parametrize(
    ("check", "bad", "kind", "says"),
    [
        ("schema", '{"age": "7"}', "check_schema", "at /age: want integer, but got string"),
        ("length", cut(), "check_length", "it ended at its token limit"),
        (["schema", "length"], cut(), "check_length", "it ended at its token limit"),
        ("refusal", testing.text("x", finish_reason="content_filter"), "check_refusal", "filter"),
        (lambda one: one.text != "no", "no", "check_function", "returned False"),
        (lambda one: "it is no" if one.text == "no" else None, "no", "check_function", "it is no"),
    ],
)
def test_an_answer_that_fails_is_asked_again(stand_in, way, check, bad, kind, says):
    """As often as allowed; then the row fails with its answer."""
    good = '{"age": 7}'
    defaults = {"response_format": FORM}
    stand_in.queue(bad, bad, good)
    run = job(stand_in, ["x"], check=check, ask_again=2, defaults=defaults)
    [result] = taken(run, way)
    assert (result.error, result.text, result.attempts) == (None, good, 3)
    assert run.status().asked_again == 2 and run.status().done == 1
    for ask_again in (0, 1):
        stand_in.queue(*[bad] * (ask_again + 1))
        run = job(stand_in, ["x"], check=check, ask_again=ask_again, defaults=defaults)
        [result] = taken(run, way)
        assert isinstance(result.error, modelwire.bulk.CheckError) and result.error.kind == kind
        assert says in str(result.error) and result.error.metered == "entered"
        assert result.text is None and result.response.choices[0].message.content is not None
        assert result.attempts == result.error.attempts == ask_again + 1
        assert run.status().failed == 1
        with pytest.raises(modelwire.bulk.CheckError):
            result.raise_for_error()
        line = result.to_dict()
        assert line["error"]["kind"] == kind and line["response"]["status_code"] == 200
    stand_in.assert_all_taken()


@ways
def test_a_function_gets_the_result(stand_in, way):
    """With the row, its name, the answer and the number of attempts."""
    seen = []

    def check(result):
        seen.append(
            (result.row, result.custom_id, result.text, result.response.model, result.attempts)
        )
        assert result.error is None and result.elapsed > 0
        return len(seen) > 1

    row = ("a", "x")
    [result] = taken(job(stand_in, [row], check=check, ask_again=1), way)
    assert seen == [(row, "a", "x", "echo", 1), (row, "a", "x", "echo", 2)]
    assert result.error is None


@ways
@pytest.mark.parametrize("ordered", [False, True])
def test_every_row_has_one_result(stand_in, way, ordered):
    """Whatever of them is asked again."""
    tries = {}

    def check(result):
        tries[result.row] = tries.get(result.row, 0) + 1
        return tries[result.row] > int(result.row) % 4

    rows = [str(number) for number in range(300)]
    run = job(stand_in, rows, check=check, ask_again=2, ordered=ordered)
    results = taken(run, way)
    assert sorted(int(one.row) for one in results) == list(range(300))
    assert not ordered or [one.row for one in results] == rows
    assert {int(one.row) % 4 for one in results if one.error is not None} == {3}
    assert stand_in.metered["echo"]["calls"] == 75 * (1 + 2 + 3 + 3)
    used = stand_in.metered["echo"]
    assert run.status().tokens == used["input_tokens"] + used["output_tokens"]
    assert run.status().asked_again == 75 * (0 + 1 + 2 + 2)


def test_asynchronous_rows_are_checked(stand_in):
    """Fed by a task of their own."""

    async def rows():
        for number in range(50):
            await asyncio.sleep(0)
            yield str(number)

    results = taken(job(stand_in, rows(), check=lambda one: int(one.row) % 2 == 0), "async for")
    assert len(results) == 50 and sum(one.error is not None for one in results) == 25


@ways
def test_an_exception_of_the_function_ends_the_job(stand_in, tmp_path, way):
    """It is raised, and no answer is lost."""
    output = tmp_path / "out.jsonl"

    def check(result):
        if result.row == "bad":
            raise KeyError("a mistake")
        return True

    rows = [*(str(number) for number in range(20)), "bad", *(str(one) for one in range(20, 400))]
    run = job(stand_in, rows, check=check, output=output, max_concurrency=4)
    with pytest.raises(KeyError, match="a mistake"):
        taken(run, way)
    assert taken(run, way) == []
    again = job(stand_in, rows, output=output, retry_failed=True)
    rest = taken(again, way)
    assert "bad" in {one.row for one in rest} and again.unknown == []
    assert again.skipped + len(rest) == len(rows) == len(lines(output))
    # What was answered and not checked was sent again.
    assert stand_in.metered["echo"]["calls"] > len(rows)


def test_a_function_must_return_a_verdict(stand_in):
    """Not what is always true, such as a coroutine."""
    for found in (1, [], object()):
        with pytest.raises(TypeError, match="check returned a .*; it must return True or None"):
            list(job(stand_in, ["x"], check=lambda _, found=found: found))


def test_leaving_the_loop_keeps_answers_in_the_output(stand_in, tmp_path):
    """Those that were not checked are failed rows."""
    output = tmp_path / "out.jsonl"
    rows = [str(number) for number in range(200)]
    run = job(stand_in, rows, check=lambda _: True, output=output)
    for _ in run:
        break
    assert len(lines(output)) == stand_in.metered["echo"]["calls"]
    reasons = {line["error"] and line["error"]["message"] for line in lines(output)}
    unchecked = "the answer failed the check function: the job ended before it was checked"
    assert reasons <= {None, unchecked}
    again = job(stand_in, rows, check=lambda _: True, output=output, retry_failed=True)
    assert {one.error for one in again} == {None} and again.unknown == []
    assert len(lines(output)) == len(rows)


@ways
def test_a_failed_answer_is_in_the_output(stand_in, tmp_path, way):
    """It runs again only if failed rows do."""
    output = tmp_path / "out.jsonl"
    stand_in.queue(cut())
    [failed] = taken(job(stand_in, ["x"], check="length", output=output), way)
    [line] = lines(output)
    assert line["error"]["kind"] == failed.error.kind == "check_length"
    assert line["error"]["hint"] and line["error"]["message"] == failed.error.message
    assert line["response"]["body"]["choices"][0]["message"]["content"] == "cut"
    run = job(stand_in, ["x"], check="length", output=output)
    assert taken(run, way) == [] and run.skipped == 1
    [result] = taken(job(stand_in, ["x"], check="length", output=output, retry_failed=True), way)
    assert result.error is None and [one["error"] for one in lines(output)] == [None]


def test_a_budget_counts_every_answer(stand_in):
    """Those that were asked again, too; it is not exceeded."""
    stand_in.set_default(cut(usage=(20, 50)))
    rows = [f"row {number}" for number in range(100)]
    run = job(stand_in, rows, check="length", ask_again=3, max_total_tokens=5_000)
    results = []
    with pytest.raises(modelwire.bulk.BudgetError):
        results.extend(run)
    used = stand_in.metered["echo"]
    assert 3_000 < used["input_tokens"] + used["output_tokens"] <= 5_000
    assert run.status().tokens == used["input_tokens"] + used["output_tokens"]


def test_a_pilot_is_checked(stand_in):
    """Its rows that fail count as failed."""
    rows = [str(number) for number in range(60)]
    run = job(stand_in, rows, check=["length", lambda one: int(one.row) % 2 == 0])
    pilot = run.pilot(20)
    results = list(run)
    assert sorted(int(one.row) for one in results) == list(range(60))
    assert sum(one.error is not None for one in results) == 30
    assert pilot.pilot_rows == 20 and pilot.failed == sum(
        one.error is not None for one in results[:20]
    )


def test_an_invalid_schema_is_refused(stand_in):
    """Before its row is sent; without the check the service judges it."""
    remote = {"type": "json_schema", "json_schema": {"schema": {"$ref": "https://host.example/s"}}}
    rows = ["x", {"messages": [{"role": "user", "content": "x"}], "response_format": remote}]
    good, bad = sorted(job(stand_in, rows, check="schema"), key=lambda one: one.error is not None)
    assert good.text == "x" and isinstance(bad.error, modelwire.RequestError)
    assert "nothing is fetched: put that under $defs" in str(bad.error)
    assert len(stand_in.requests) == 1
    assert {one.error for one in job(stand_in, rows)} == {None}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"check": "json"}, "check is 'json'; it must be"),
        ({"check": ["schema", 7]}, "check is 7; it must be"),
        ({"check": "schema", "ask_again": -1}, "ask_again is -1"),
        ({"check": "schema", "ask_again": True}, "ask_again is True"),
        ({"ask_again": 1}, "ask_again needs check"),
    ],
)
def test_settings_are_checked(settings, says):
    """When the job is made, and of `Rows`, too."""
    where = {"base_url": "http://127.0.0.1:9/v1", "api_key": "sk-test"}
    for make in (
        lambda: modelwire.bulk([], **settings, **where),
        lambda: modelwire.bulk.Rows(prompt="{x}", **settings, **where),
    ):
        with pytest.raises(ValueError, match="^(check|ask_again)") as caught:
            make()
        assert says in str(caught.value)


def short(result):
    """A check that a worker can import."""
    return result.row["messages"][0]["content"] != "b" or "it is b"


def test_batches_are_checked(stand_in):
    """With the error in its column, and null as the answer."""
    where = {"base_url": stand_in.base_url, "api_key": stand_in.api_key, "model": "echo"}
    checked = {"check": ["length", short], "ask_again": 1}
    # One after another: the first row has the cut answer.
    rows = modelwire.bulk.Rows(prompt="{t}", max_concurrency=1, **checked, **where)
    rows = pickle.loads(pickle.dumps(rows))
    stand_in.queue(cut())
    found = rows({"t": ["a", "b", "c"]})
    assert found["answer"] == ["a", None, "c"]
    assert [error and "it is b" in error for error in found["error"]] == [None, True, None]
    assert found["total_tokens"] == [2, 2, 2] and stand_in.metered["echo"]["calls"] == 5


def test_an_exception_of_the_function_ends_a_batch(stand_in):
    """The next batch has another engine."""
    where = {"base_url": stand_in.base_url, "api_key": stand_in.api_key, "model": "echo"}
    mistakes = [KeyError("a mistake")]

    def check(_):
        if mistakes:
            raise mistakes.pop()

    rows = modelwire.bulk.Rows(prompt="{t}", check=check, **where)
    with pytest.raises(KeyError, match="a mistake"):
        rows({"t": ["a", "b"]})
    assert rows({"t": ["a", "b"]})["answer"] == ["a", "b"]
