"""Runs one driver with both libraries in one environment and says where they differ."""

import json
import os
import subprocess
import sys

DEADLINE = 300.0


def lines(python, driver, library, cases):
    """What the driver told, by case; what it wrote beside that is kept for the reader."""
    done = subprocess.run(
        [python, driver, *cases],
        env={**os.environ, "REAL_LIBRARY": library, "PYTHONWARNINGS": "ignore"},
        stdin=subprocess.DEVNULL,  # nobody answers a question
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    told = {}
    for line in done.stdout.splitlines():
        try:
            value = json.loads(line)
            told[value["case"]] = value
        except (ValueError, TypeError, KeyError):
            continue  # the program's own output
    if not told:
        raise SystemExit(f"{driver} with {library} told nothing:\n{done.stderr[-4000:]}")
    return told


def sent(requests):
    """Requests as services understand them: not to stream is what they do anyway."""
    for request in requests:
        if isinstance(request["body"], dict) and request["body"].get("stream") is False:
            del request["body"]["stream"]
    return requests


def differences(expected, got, where=""):
    """The places where two JSON values differ."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for name in [*expected, *(name for name in got if name not in expected)]:
            if name not in got:
                yield f"{where}.{name}: missing, openai has {json.dumps(expected[name])[:200]}"
            elif name not in expected:
                yield f"{where}.{name}: only here, {json.dumps(got[name])[:200]}"
            else:
                yield from differences(expected[name], got[name], f"{where}.{name}")
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for index, (one, other) in enumerate(zip(expected, got)):
            yield from differences(one, other, f"{where}[{index}]")
    elif expected != got:
        yield f"{where}: {json.dumps(got)[:300]}, openai has {json.dumps(expected)[:300]}"


def main():
    """compare.py PYTHON DRIVER [-v] [CASE...]: exit status 1 if something differs."""
    python, driver, *cases = sys.argv[1:]
    verbose = "-v" in cases
    cases = [name for name in cases if name != "-v"]
    expected = lines(python, driver, "openai", cases)
    got = lines(python, driver, "modelwire", cases)
    bad = 0
    for name, openai in expected.items():
        ours = got.get(name, {"failed": "the driver ended before this case"})
        found = []
        if "failed" in ours and "failed" not in openai:
            found.append(ours["failed"])
        elif "failed" in openai and "failed" not in ours:
            found.append(f"works here, openai: {openai['failed']}")
        elif "failed" in openai:
            found.append(
                f"fails with both: {ours['failed'][:300]}; openai {openai['failed'][:300]}"
            )
        else:
            found += differences(openai["result"], ours["result"], "result")
        found += differences(sent(openai["requests"]), sent(ours.get("requests", [])), "requests")
        if ours.get("openai"):
            found.append("its requests came from openai's client")
        print(f"{'DIFFERS' if found else 'same   '} {name}")
        for line in found:
            print(f"        {line}")
        if verbose:
            print(json.dumps(openai.get("result"))[:1000])
            if found:
                print(ours.get("traceback", ""))
                print(openai.get("traceback", ""))
        bad += bool(found)
    print(f"{len(expected) - bad} of {len(expected)} cases alike")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
