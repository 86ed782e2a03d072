"""Which clients there are and how each is built and started: data and a check whether it exists."""

import pathlib
import sys
from dataclasses import dataclass

from harness.environments import (
    BENCH,
    BUILD,
    ROOT,
    VENV_PYTHON,
    output_of,
    runtime_environment,
)

RELEASE = BUILD / "release"
PEERS = BUILD / "bench" / "peers" / "release"
COMPILED = BUILD / "bench" / "c"
PYTHON = pathlib.Path(sys.executable)


@dataclass(frozen=True)
class Client:
    """How one client is made ready and started."""

    name: str
    command: tuple[pathlib.Path | str, ...]
    #: What must be built first: names of `harness.environments.PARTS`.
    needs: tuple[str, ...]
    #: The part of the operations that it does, because it is slow.
    part: float = 1.0
    #: Asked of the header or the package: whether the client exists yet.
    exists_if: str | None = None

    def missing(self) -> str | None:
        """Why it cannot be measured; `None` if it can."""
        source = pathlib.Path(self.command[-1])
        if source.suffix == ".py" and not source.exists():
            return f"{source.relative_to(ROOT)} is not written yet"
        if self.exists_if is None:
            return None
        if "c" in self.needs:
            header = (ROOT / "include" / "modelwire.h").read_text()
            return None if self.exists_if in header else f"the header has no {self.exists_if}"
        probe = f"import modelwire; modelwire.{self.exists_if}"
        found = output_of([self.command[0], "-c", probe]) is not None
        return None if found else f"the package has no {self.exists_if}"


def _rust(name: str) -> Client:
    return Client(name, (RELEASE / name,), ("cargo",))


def _peer(name: str, program: str) -> Client:
    return Client(name, (PEERS / program,), ("peers",))


def _c(name: str, needs: tuple[str, ...], exists_if: str | None = None) -> Client:
    return Client(name, (COMPILED / name,), needs, exists_if=exists_if)


def _python(name: str, file: str, exists_if: str | None = None) -> Client:
    return Client(name, (PYTHON, BENCH / "python" / file), ("cargo",), exists_if=exists_if)


def _python_peer(name: str, file: str, part: float) -> Client:
    return Client(name, (VENV_PYTHON, BENCH / "python" / file), ("venv",), part)


def _runtime(language: str, clients: dict[str, str], part: float = 1.0) -> list[Client]:
    """A binding of the C library and the usual clients of its language, by what its program calls
    them."""
    program = BENCH / "runtimes" / language / "run"
    start = (*runtime_environment(language), program)
    binding = Client(f"modelwire-{language}", (*start, "modelwire"), ("cargo", language))
    others = [
        Client(name, (*start, of), ("cargo", language), part) for of, name in clients.items()
    ]
    return [binding, *others]


#: The bindings, each beside what programs of its language use otherwise.
RUNTIME_CLIENTS = [
    *_runtime("go", {"usual": "go-net-http"}),
    *_runtime("node", {"usual": "node-fetch", "npm": "node-openai"}, 0.25),
    *_runtime("java", {"usual": "java-net-http"}),
    *_runtime("dotnet", {"usual": "dotnet-http-client"}),
    *_runtime("ruby", {"texts": "modelwire-ruby-texts", "usual": "ruby-net-http"}, 0.25),
    *_runtime("luajit", {"usual": "luajit-libcurl"}),
    *_runtime("php", {"usual": "php-curl"}),
    *_runtime("python-cffi", {"usual": "python-requests"}, 0.5),
    *_runtime("elixir", {"usual": "elixir-httpc"}, 0.5),
    *_runtime("perl", {"usual": "perl-http-tiny"}, 0.05),
]

CLIENTS = {
    client.name: client
    for client in (
        *RUNTIME_CLIENTS,
        _rust("socket"),
        _rust("reqwest-bare"),
        _rust("modelwire-rust"),
        _rust("modelwire-rust-recorded"),
        _rust("modelwire-rust-io-thread"),
        _rust("modelwire-rust-blocking"),
        _c("modelwire-c-callback", ("cargo", "c")),
        _c("modelwire-c-queue", ("cargo", "c"), "modelwire_queue_new"),
        _python("modelwire-python", "modelwire_sync.py"),
        Client("modelwire-otel", (PYTHON, BENCH / "python" / "modelwire_otel.py"), ("cargo", "otel")),
        _python("modelwire-asyncio", "modelwire_asyncio.py", "AsyncOpenAI"),
        _peer("reqwest-serde", "reqwest_serde"),
        _peer("async-openai", "async_openai"),
        _c("libcurl-jansson", ("libcurl",)),
        _c("libcurl-multi", ("libcurl",)),
        _python_peer("aiohttp-orjson", "aiohttp_orjson.py", 0.5),
        _python_peer("liter-llm", "liter_llm_asyncio.py", 0.1),
        _python_peer("msgspec", "msgspec_structs.py", 1.0),
        _python_peer("openai", "openai_sync.py", 0.1),
        _python_peer("openai-asyncio", "openai_asyncio.py", 0.1),
    )
}
