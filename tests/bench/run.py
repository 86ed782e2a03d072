"""Measures what a streamed chunk and a plain call cost, beside a bare reqwest drain, in one run.

Each measurement is a fresh process; the clients take turns; the median of RUNS counts. Knows no
client from inside. `make bench` builds everything and calls it: run.py BUILD_DIR [SCENARIO...]
"""

import json
import pathlib
import platform
import statistics
import subprocess
import sys
import urllib.request

RUNS = 5
CHUNKS = 100_032  # a multiple of 64
CALLS = 5_000
CHUNK = json.dumps(
    {
        "id": "chatcmpl-1234567890123456789012",
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": "bench-model",
        "system_fingerprint": "fp_0123456789",
        "choices": [
            {"index": 0, "delta": {"content": " hello"}, "logprobs": None, "finish_reason": None}
        ],
    },
    separators=(",", ":"),
)
ANSWER = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "bench-model",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Hello there, how are you?"},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 5, "completion_tokens": 6, "total_tokens": 11},
    },
    separators=(",", ":"),
)


def http_chunk(text: str) -> str:
    return f"{len(text):x}\r\n{text}\r\n"


def stream_of(events_per_http_chunk: int) -> dict:
    """A stream whose bytes are rendered once and sent in large blocks."""
    event = f"data: {CHUNK}\n\n"
    finish = CHUNK.replace('"finish_reason":null', '"finish_reason":"stop"')
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    tail = http_chunk(f"data: {finish}\n\n") + http_chunk("data: [DONE]\n\n") + "0\r\n\r\n"
    piece = {
        "send": http_chunk(event * events_per_http_chunk),
        "times": CHUNKS // events_per_http_chunk,
    }
    return {"steps": [{"send": head}, piece, {"send": tail}]}


class Service:
    """The loopback service in a process of its own."""

    def __init__(self, program: pathlib.Path) -> None:
        self.process = subprocess.Popen(
            [program, "--exit-with-stdin"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        self.root = line.split()[-1].removesuffix("/v1")

    def script(self, name: str, exchange: dict) -> str:
        body = json.dumps({"exchanges": [exchange]}).encode()
        url = f"{self.root}/_control/scripts/{name}"
        request = urllib.request.Request(url, body, method="PUT")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["base_url"]

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def measure(command: list) -> tuple[float, float]:
    cpu, wall, _ = subprocess.check_output(command, text=True).split()
    return float(cpu), float(wall)


def main() -> None:
    build = pathlib.Path(sys.argv[1])
    only = sys.argv[2:]
    rust = [build / "release" / "bench-client"]
    c = [build / "c" / "bench"]
    python = [sys.executable, pathlib.Path(__file__).with_name("client.py")]
    service = Service(build / "release" / "modelwire-service")
    groups = [
        ("chunk, one event per HTTP chunk", service.script("one", stream_of(1)), "stream", CHUNKS),
        ("chunk, 64 events per HTTP chunk", service.script("many", stream_of(64)), "stream", CHUNKS),
        (
            "plain chat, one after another",
            service.script("plain", {"json": {"status": 200, "body": ANSWER}}),
            "plain",
            CALLS,
        ),
    ]
    clients = [("bare", rust), ("rust", rust), ("rust-async", rust), ("c", c), ("python", python)]
    results = {}
    cpu_name = next(
        (
            line.split(":")[1].strip()
            for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    print(f"{cpu_name}, {platform.system()} {platform.release()}, Python {platform.python_version()}")
    print(f"client CPU in µs per operation (wall in brackets), median of {RUNS} fresh processes")
    for title, url, work, count in groups:
        runs: dict[str, list] = {}
        for _ in range(RUNS):
            for name, program in clients:
                scenario = f"rust-{work}-async" if name == "rust-async" else f"{name}-{work}"
                if (only and scenario not in only and name != "bare") or scenario == "rust-plain-async":
                    continue
                runs.setdefault(name, []).append(measure([*program, scenario, url, str(count)]))
        print(f"\n{title} ({count} operations, {len(CHUNK)}-byte chunks)")
        medians = {
            name: tuple(statistics.median(run[i] for run in of) for i in (0, 1))
            for name, of in runs.items()
        }
        floor = medians["bare"][0]
        for name, (cpu, wall) in medians.items():
            beyond = "" if name == "bare" else f"  {cpu - floor:+6.2f}  x{cpu / floor:.2f}"
            print(f"  {name:<11} {cpu:7.2f} ({wall:7.2f}){beyond}")
        results[title] = {name: {"cpu_us": m[0], "wall_us": m[1]} for name, m in medians.items()}
    if not only or "sse-linear" in only:
        print("\none event of growing size, parsed")
        linear = subprocess.check_output([*rust, "sse-linear", "-", "0"], text=True)
        print("".join(f"  {line}\n" for line in linear.splitlines()), end="")
        results["sse-linear"] = linear.splitlines()
    service.close()
    path = build / "bench.json"
    path.write_text(json.dumps({"cpu": cpu_name, "runs": RUNS, "results": results}, indent=1))
    print(f"\nwritten to {path}")


main()
