"""openai-python's own examples of these operations, each a process of its own, unchanged but for
the name that they import."""
# needs: openai==3.52.0 rich
# source: openai==3.52.0

import json
import os
import pathlib
import re
import subprocess
import sys

import drive

from modelwire.testing import text

EXAMPLES = pathlib.Path(os.environ["REAL_SOURCES"]) / "openai-3.52.0" / "examples"
DEADLINE = 60

MATH = '{"steps": [{"explanation": "a", "output": "b"}], "final_answer": "x=-29/8"}'
CONDITION = {"column": "status", "operator": "=", "value": "fulfilled"}
QUERY = {"table_name": "orders", "columns": ["id"], "conditions": [CONDITION], "order_by": "asc"}
CITIES = [("get_weather", {"city": city, "country": "US"}) for city in ("SF", "NY")]


def output(service, name):
    """What the example prints, its traceback if it ends badly, without times."""
    source = (EXAMPLES / name).read_text()
    if drive.LIBRARY == "modelwire":
        source = re.sub(r"(?m)^(\s*)from openai\b", r"\1from modelwire", source)
        source = re.sub(r"(?m)^(\s*)import openai\b", r"\1import modelwire as openai", source)
    # An example of setting the module's variables has placeholders.
    source = source.replace('"https://..."', f'"{service.base_url}/"')
    source = source.replace('openai.api_key = "..."', f'openai.api_key = "{service.api_key}"')
    done = subprocess.run(
        [sys.executable, "-c", source],
        env={**os.environ, **service.environment, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    printed = re.sub(r"(created(_at)?\D{1,4})[\d.]+", r"\1TIME", done.stdout)
    printed = re.sub(r"\x1b\[[\d;]*m", "", printed)
    return printed


def example(name, answer, prints=str.splitlines):
    def run(service):
        service.set_default(answer)
        return prints(output(service, name))

    run.__name__ = name.removesuffix(".py").replace("/", "_")
    drive.case(run)


def documents(printed):
    """Printed JSON as data: the order of its fields means nothing."""
    printed = printed.replace("TIME", "0")
    found, decoder, at = [], json.JSONDecoder(), printed.find("{")
    while at >= 0:
        value, end = decoder.raw_decode(printed, at)
        found.append(value)
        at = printed.find("{", end)
    return found


def nothing(printed):
    """Where the example prints whole objects: their text is each library's own."""
    return bool(printed)


example("async_demo.py", "This is a test.")
example("demo.py", "This is a test.")
example("streaming.py", "1 2 3", documents)
example("module_client.py", "os.listdir()")
example("parsing.py", MATH)
example("parsing_stream.py", MATH, nothing)
example("parsing_tools.py", text("", tool_calls=[("Query", QUERY)]), nothing)
example("parsing_tools_stream.py", text("", tool_calls=CITIES), nothing)
example("responses/streaming.py", MATH, nothing)
example("responses/streaming_tools.py", text("", tool_calls=[("Query", QUERY)]), nothing)
example("responses/structured_outputs.py", MATH)
example("responses/structured_outputs_tools.py", text("", tool_calls=[("Query", QUERY)]), nothing)

drive.main()
