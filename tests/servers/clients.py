"""The clients: each makes the calls of a case, and gives what came of each call in one form.

An outcome is `items`, what was received (documents, or the chunks of a stream), and `error`.
"""

import asyncio
import concurrent.futures
import json
import os
import pathlib
import subprocess

import modelwire
import openai

BUILD = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")).absolute()
SECONDS = 6  # for a call, which takes one at most
TIMEOUTS = {"first_byte_timeout_ms": SECONDS * 1000, "idle_timeout_ms": SECONDS * 1000}
PROGRAM_SECONDS = 60
FIELDS = ("kind", "message", "http_status", "type", "code", "param")
OPERATION = {"models": "models", "chat": "chat", "responses": "respond"}


def outcome(items, error=None):
    return {"items": items, "error": error}


def failed(error):
    """An exception of either package; others have a name alone."""
    told = {"class": type(error).__name__}
    status = getattr(error, "status_code", None)
    for name in ("type", "code", "param", "body", "kind", "message"):
        told[name] = getattr(error, name, None)
    return {**told, "http_status": status}


def fields(case, body):
    """The arguments of `create`."""
    rest = dict(body)
    named = {name: rest.pop(name) for name in ("model", "messages", "input") if name in rest}
    return {**named, "stream": case.stream, "extra_body": rest}


def dump(value):
    return value.model_dump()


class Blocking:
    """openai-python, or modelwire in its place."""

    def __init__(self, package):
        self.package = package

    def client(self, where, key):
        return self.package.OpenAI(
            base_url=where.base_url,
            api_key=key,
            max_retries=0,
            timeout=SECONDS,
            default_headers=where.headers,
        )

    def one(self, client, case, body):
        items = []
        try:
            if case.operation == "models":
                return outcome([dump(model) for model in client.models.list().data or []])
            chat = case.operation == "chat"
            create = client.chat.completions.create if chat else client.responses.create
            answer = create(**fields(case, body))
            if not case.stream:
                return outcome([dump(answer)])
            with answer:
                for chunk in answer:
                    items.append(dump(chunk))
                    if len(items) == case.leave:
                        break
        except Exception as error:  # whatever it is, it is the outcome
            return outcome(items, failed(error))
        return outcome(items)

    def ask(self, case, where, key):
        threads = concurrent.futures.ThreadPoolExecutor(len(case.bodies))
        with self.client(where, key) as client, threads:
            return list(threads.map(lambda body: self.one(client, case, body), case.bodies))


class Asynchronous:
    """modelwire, awaited."""

    async def one(self, client, case, body):
        items = []
        try:
            if case.operation == "models":
                return outcome([dump(model) for model in (await client.models.list()).data or []])
            chat = case.operation == "chat"
            create = client.chat.completions.create if chat else client.responses.create
            answer = await create(**fields(case, body))
            if not case.stream:
                return outcome([dump(answer)])
            async with answer:
                async for chunk in answer:
                    items.append(dump(chunk))
                    if len(items) == case.leave:
                        break
        except Exception as error:
            return outcome(items, failed(error))
        return outcome(items)

    async def all(self, case, where, key):
        client = modelwire.AsyncOpenAI(
            base_url=where.base_url,
            api_key=key,
            max_retries=0,
            timeout=SECONDS,
            default_headers=where.headers,
        )
        async with client:
            return await asyncio.gather(*(self.one(client, case, body) for body in case.bodies))

    def ask(self, case, where, key):
        return asyncio.run(self.all(case, where, key))


class Program:
    """ask.c or ask.rs."""

    def __init__(self, path):
        self.path = BUILD / path

    def ask(self, case, where, key):
        options = {"base_url": where.base_url, "api_key": key, "headers": where.headers}
        told = {
            "options": json.dumps({**options, **TIMEOUTS, "max_retries": 0}),
            "operation": case.operation,
            "bodies": [body and json.dumps(body) for body in case.bodies],
            "stream": case.stream,
            "leave": case.leave,
        }
        text = json.dumps(told).encode()
        done = subprocess.run([self.path], input=text, capture_output=True, timeout=PROGRAM_SECONDS)
        if done.returncode != 0:
            raise SystemExit(f"{self.path}: {done.stderr.decode()}")
        outcomes = [outcome([]) for _ in case.bodies]
        for event in json.loads(done.stdout):
            one = outcomes[event["call"]]
            if "error" not in event:
                one["items"] += documents(case, event.get("chunk", event.get("response")))
            elif event["error"]["kind"] != "cancelled":
                one["error"] = {name: event["error"][name] for name in FIELDS}
        return outcomes


def documents(case, value):
    """What a text of JSON is for the comparison; nothing at the end of a stream."""
    if value is None:
        return []
    if case.operation == "models" and isinstance(value, dict):
        return value.get("data") or []
    return [value]


class Command:
    """The command, a process for each call."""

    def arguments(self, case, where, body):
        common = ["--base-url", where.base_url, "--json", "--report"]
        common += [
            part for item in TIMEOUTS.items() for part in ("--option", "{}={}".format(*item))
        ]
        if where.headers:
            common += ["--option", f"headers={json.dumps(where.headers)}"]
        if case.operation == "models":
            return ["models", *common]
        how = [] if case.stream else ["--no-stream"]
        rest = {name: value for name, value in body.items() if name != "model"}
        sets = [
            part for item in rest.items() for part in ("--set", f"{item[0]}={json.dumps(item[1])}")
        ]
        name = OPERATION[case.operation]
        return [name, *common, *how, "--retries", "0", "-m", body["model"], *sets, "a prompt"]

    def one(self, case, where, key, body):
        process = subprocess.Popen(
            [BUILD / "debug/modelwire", *self.arguments(case, where, body)],
            env={**os.environ, "MODELWIRE_API_KEY": key},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        lines = [process.stdout.readline() for _ in range(case.leave or 0)]
        if lines and lines[-1]:
            process.stdout.close()
            process.stderr.close()
            process.wait(PROGRAM_SECONDS)
            return outcome([json.loads(line) for line in lines])
        rest, said = process.communicate(timeout=PROGRAM_SECONDS)
        out = "".join(lines) + rest
        if case.stream:
            items = [json.loads(line) for line in out.split("\n") if line]
        else:
            items = documents(case, json.loads(out) if out.strip() else None)
        return outcome(items, self.error(process.returncode, said))

    def error(self, code, said):
        """What --report says, one name a line; it names no message alone."""
        if code == 0:
            return None
        report = dict(line.split(": ", 1) for line in said.split("\n") if ": " in line)
        status = report.get("status")
        told = {name: report.get(name) for name in ("kind", "type", "code", "param")}
        return {**told, "class": f"exit {code}", "http_status": status and int(status)}

    def ask(self, case, where, key):
        with concurrent.futures.ThreadPoolExecutor(len(case.bodies)) as threads:
            return list(threads.map(lambda body: self.one(case, where, key, body), case.bodies))


OPENAI = Blocking(openai)
PYTHON = Blocking(modelwire)
OTHERS = {
    "async": Asynchronous(),
    "c": Program("c/ask"),
    "rust": Program("debug/examples/ask"),
    "command": Command(),
}
