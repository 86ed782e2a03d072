"""Installs and starts the servers, each in a folder of its own under target/servers."""

import contextlib
import dataclasses
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

PROGRAMS = pathlib.Path(__file__).parent / "programs"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")).absolute() / "servers"
KEY = "sk-test"
START_SECONDS = 120  # LiteLLM imports for 8 seconds on a machine that does nothing else


@dataclasses.dataclass
class Server:
    """What to install, and the programs to start: functions of the ports and of the upstream."""

    name: str
    version: str
    packages: list  # of pip; or of npm
    commands: object  # (folder, ports, upstream) -> programs, of which the last one answers
    npm: bool = False
    path: str = "/v1"
    upstream: bool = False  # stands before aimock
    headers: object = lambda upstream: {}

    @property
    def folder(self):
        return TARGET / self.name

    def install(self):
        done = self.folder / "installed"
        wanted = " ".join(self.packages)
        if done.exists() and done.read_text() == wanted:
            return
        print(f"installing {wanted} into {self.folder}", flush=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.npm:
            quiet = ["--silent", "--no-audit", "--no-fund", "--prefix", "."]
            subprocess.run(["npm", "install", *quiet, *self.packages], cwd=self.folder, check=True)
        else:
            subprocess.run([sys.executable, "-m", "venv", "."], cwd=self.folder, check=True)
            pip = [self.folder / "bin/python", "-m", "pip", "install", "--quiet"]
            quiet = "--disable-pip-version-check"
            subprocess.run([*pip, quiet, *self.packages], cwd=self.folder, check=True)
        done.write_text(wanted)


def python(folder, *arguments):
    return [folder / "bin/python", *arguments]


def node(folder, name):
    return folder / "node_modules" / name


def fastchat(folder, ports, upstream):
    controller, worker, own = (str(port) for port in ports)
    serve = lambda module, *rest: python(folder, "-m", f"fastchat.serve.{module}", *rest)
    at = f"http://127.0.0.1:{controller}"
    return [
        serve("controller", "--host", "127.0.0.1", "--port", controller),
        python(folder, PROGRAMS / "fastchat_worker.py", controller, worker),
        serve("openai_api_server", "--host", "127.0.0.1", "--port", own,
              "--controller-address", at, "--api-keys", KEY),
    ]  # fmt: skip


def on_its_port(*before):
    """A program that takes its port at the end."""
    return lambda folder, ports, upstream: [
        [*(part(folder) if callable(part) else part for part in before), str(ports[-1])]
    ]


AIMOCK = Server(
    "aimock", "1.43.0", ["@copilotkit/aimock@1.43.0"], npm=True,
    commands=on_its_port("env", "-C", PROGRAMS, lambda folder: node(folder, ".bin/aimock"),
                         "--host", "127.0.0.1", "--config", "aimock.json", "--port"),
)  # fmt: skip
SERVERS = [
    AIMOCK,
    Server(
        "mock-llm", "0.1.29", ["@dwmkerr/mock-llm@0.1.29"], npm=True,
        commands=lambda folder, ports, upstream: [
            ["env", "HOST=127.0.0.1", f"PORT={ports[-1]}", node(folder, ".bin/mock-llm"),
             "--config", PROGRAMS / "mock_llm.yaml"]],
    ),
    Server(
        "litserve", "0.2.19", ["litserve==0.2.19"],
        commands=on_its_port(lambda folder: folder / "bin/python", PROGRAMS / "litserve_api.py"),
    ),
    Server(
        "fastchat", "0.2.36", ["fschat==0.2.36", "pydantic==1.10.26", "fastapi==0.110.3"],
        commands=fastchat,
    ),
    Server(
        "portkey", "1.15.2", ["@portkey-ai/gateway@1.15.2"], npm=True, upstream=True,
        commands=lambda folder, ports, upstream: [
            ["node", PROGRAMS / "portkey.mjs",
             node(folder, "@portkey-ai/gateway/build/start-server.js"),
             "--headless", f"--port={ports[-1]}"]],
        headers=lambda upstream: {
            "x-portkey-provider": "openai", "x-portkey-custom-host": upstream},
    ),
    Server(
        "litellm", "1.106.2", ["litellm[proxy]==1.106.2", "prisma"], upstream=True,
        commands=lambda folder, ports, upstream: [
            ["env", "LITELLM_LOCAL_MODEL_COST_MAP=True", f"UPSTREAM={upstream}",
             folder / "bin/litellm", "--config", PROGRAMS / "litellm.yaml", "--host", "127.0.0.1",
             "--num_workers", "1", "--telemetry", "False", "--port", str(ports[-1])]],
    ),
]  # fmt: skip


def free_ports(count):
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Running:
    """A server that was started, and is stopped with all that it started."""

    def __init__(self, server, upstream=None):
        self.server, self.upstream = server, upstream
        self.ports = free_ports(3)
        self.base_url = f"http://127.0.0.1:{self.ports[-1]}{server.path}"
        self.headers = server.headers(upstream)
        self.log = (server.folder / "log").open("wb")
        self.commands = server.commands(server.folder, self.ports, upstream)
        self.processes = [self._start(command) for command in self.commands]
        self.wait()

    def _start(self, command):
        return subprocess.Popen(
            [str(part) for part in command],
            cwd=self.server.folder,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )

    def answers(self):
        """Whether a chat is answered."""
        body = b'{"model":"tiny-model","messages":[{"role":"user","content":"Say hello."}]}'
        head = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
        url = f"{self.base_url}/chat/completions"
        request = urllib.request.Request(url, body, {**head, **self.headers})
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return b"tiny model" in answer.read()
        except (urllib.error.URLError, OSError):
            return False

    def wait(self):
        """Until it answers; what has ended is started again."""
        end = time.monotonic() + START_SECONDS
        while not self.answers():
            if time.monotonic() > end:
                self.stop()
                raise SystemExit(f"{self.server.name} does not answer: see {self.log.name}")
            for number, process in enumerate(self.processes):
                if process.poll() is not None:
                    self.processes[number] = self._start(self.commands[number])
            time.sleep(0.2)

    def stop(self):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.log.close()
