#!/usr/bin/env python3
"""Records what servers put on the wire for some of the cases, byte for byte, into tests/captures, where
`make test` replays it: record.py SERVER... (its README says what is to be done then)."""

import base64
import json
import pathlib
import re
import socket
import sys
import time

import servers
from cases import CASES

CAPTURES = pathlib.Path(__file__).parents[1] / "captures"
TARGETS = {"models": "/models", "chat": "/chat/completions", "responses": "/responses"}
SECONDS = 5
# The others are of the same shape as one of these.
RECORDED = """models models_wrong_key hello stream_hello wrong_key stream_wrong_key unknown_model
stream_unknown_model n2 stream_n2 stream_stop stream_max_tokens_1 unicode stream_unicode empty
stream_empty tools stream_tools reasoning stream_reasoning temperature_99 temperature_text no_messages
wrong_role rate_limit stream_rate_limit server_error stream_server_error malformed stream_malformed
stream_usage responses_hello responses_stream_hello responses_stream_cut cut stream_cut
closed_unanswered worker_dies stream_worker_dies""".split()


class Body:
    """How the body of an answer ends, and what it is without its transfer coding."""

    def __init__(self, head):
        names = [(name.lower(), value) for name, value in head]
        self.length = next((int(value) for name, value in names if name == "content-length"), None)
        self.chunked = ("transfer-encoding", "chunked") in names
        self.framing = "chunked" if self.chunked else "close"
        self.framing = "content-length" if self.length is not None else self.framing

    def decoded(self, wire):
        """What has come of it, and whether that is all."""
        if not self.chunked:
            return wire, self.length is not None and len(wire) >= self.length
        body = b""
        while match := re.match(rb"([0-9a-fA-F]+)[^\r]*\r\n", wire):
            size, start = int(match[1], 16), match.end()
            if size == 0:
                return body, wire[start:].startswith(b"\r\n")
            body += wire[start : start + size]
            wire = wire[start + size + 2 :]
        return body, False


def exchange(case, running):
    """The request as text, and the record of it."""
    body = case.bodies[0] and json.dumps(
        {**case.bodies[0], **({"stream": True} if case.stream else {})}
    )
    method = "POST" if body else "GET"
    path = running.server.path + TARGETS[case.operation]
    headers = [["Host", f"127.0.0.1:{running.ports[-1]}"], ["Accept", "*/*"],
               ["Authorization", f"Bearer {case.key or servers.KEY}"]]  # fmt: skip
    headers += [[name, value] for name, value in running.headers.items()]
    if body:
        headers += [["Content-Type", "application/json"], ["Content-Length", str(len(body))]]
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    request = {"method": method, "path": path, "http_version": "HTTP/1.1", "headers": headers}
    wire = "\r\n".join([*lines, "", body or ""])
    return wire.encode(), {**request, "body": body} if body else request


def received(connection, began):
    """Every read until the answer is complete, and how it ended."""
    wire, reads, framed, end = b"", [], None, None
    while end is None:
        try:
            data = connection.recv(65536)
        except TimeoutError:
            end = "timeout"
            break
        except ConnectionResetError:
            end = "reset"
            break
        if not data:
            end = "eof"
            break
        wire += data
        reads.append([round((time.monotonic() - began) * 1000, 1), data])
        head, blank, rest = wire.partition(b"\r\n\r\n")
        if blank:
            lines = head.decode("latin-1").split("\r\n")
            headers = [line.split(": ", 1) for line in lines[1:]]
            framed = lines[0], headers, Body(headers)
            if framed[2].decoded(rest)[1]:
                end = "last-chunk" if framed[2].chunked else "content-length"
    return reads, framed, end


def closes(connection):
    """Whether the server closes soon after its answer."""
    connection.settimeout(0.3)
    try:
        return "closed" if not connection.recv(1) else "extra bytes"
    except TimeoutError:
        return "open"


def encoded(reads):
    return [{"t_ms": at, "data_base64": base64.b64encode(data).decode()} for at, data in reads]


def record(case, running):
    wire, request = exchange(case, running)
    with socket.create_connection(("127.0.0.1", running.ports[-1]), timeout=SECONDS) as connection:
        began = time.monotonic()
        connection.sendall(wire)
        reads, framed, end = received(connection, began)
        after = closes(connection) if end in ("last-chunk", "content-length") else None
    answer = {
        "http_version": None,
        "status": None,
        "reason": None,
        "headers": [],
        "framing": "close",
    }
    body = b""
    if framed:
        version, status, reason = (framed[0] + " ").split(" ", 2)
        answer = {"http_version": version, "status": int(status), "reason": reason.strip(),
                  "headers": framed[1], "framing": framed[2].framing}  # fmt: skip
        body = framed[2].decoded(b"".join(data for _, data in reads).partition(b"\r\n\r\n")[2])[0]
    answer |= {"end": end, "connection_after": after}
    kinds = [value for name, value in answer["headers"] if name.lower() == "content-type"]
    if kinds and kinds[0].startswith("text/event-stream"):
        answer["chunks"] = encoded(parts(reads, framed[2]))
    else:
        answer["body_base64"] = base64.b64encode(body).decode()
    answer["raw"] = encoded(reads)
    server = running.server
    named = {"case": case.name, "server": server.name, "server_version": server.version}
    return {**named, "request": request, "response": answer}


def parts(reads, body):
    """What each read added to the body."""
    wire, before = b"", b""
    for at, data in reads:
        wire += data
        now = body.decoded(wire.partition(b"\r\n\r\n")[2])[0]
        if now != before:
            yield at, now[len(before) :]
        before = now


def main():
    upstream = servers.Running(servers.AIMOCK)
    for server in servers.SERVERS:
        if server.name not in sys.argv[1:]:
            continue
        running = servers.Running(server, server.upstream and upstream.base_url)
        (CAPTURES / server.name).mkdir(exist_ok=True)
        for case in CASES:
            if case.name in RECORDED:
                running.wait()
                text = json.dumps(record(case, running), indent=1, ensure_ascii=False)
                (CAPTURES / server.name / f"{case.name}.json").write_text(text + "\n")
        running.stop()
    upstream.stop()


main()
