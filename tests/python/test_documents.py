"""The documents: their Python programs, run as their readers would, and their links.

A program meets the loopback service by its environment. Above it are comments of HTML, which
readers do not see:

    <!-- answers: 429, "Hello." -->   what the service answers, in the words of `modelwire.testing`
    <!-- stdin: Say hello. -->        what is typed
    <!-- then: print(ask()) -->       code that the test adds at the end
    <!-- wsgi: served -->             the program is an application of WSGI, which is asked
    <!-- needs: pandas -->            packages that the tests do not install: skipped without them
    <!-- env: NAME=VALUE -->          a variable of its environment
    <!-- recording: FILE -->          a recording of an answer is in this file
    <!-- results: FILE -->            results of a bulk job are in this file
    <!-- typed -->                    mypy checks it

An application of FastAPI or Starlette is served by uvicorn, and a browser asks it, and leaves in
the middle of an answer. The pages of the documentation site are in `test_site_texts.py`.
"""

import contextlib
import http.client
import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from conftest import DEADLINE, eventually
from modelwire import OpenAI, testing
from modelwire.testing import Service
from programs import FLAGS, finished
from test_openai_classes import stand_in

pytestmark = pytest.mark.thread_unsafe("each test is a program of its own")

ROOT = Path(__file__).parents[2]
PROGRAM_DEADLINE = 300.0
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "docs/python.md",
        ROOT / "docs/costs.md",
        ROOT / "py/openai-python.md",
        *ROOT.glob("docs/python/*.md"),
    ]
)
BLOCK = re.compile(
    r"^(?P<marks>(?:<!-- [a-z]+: [^\n]*? -->\n+)*)```python\n(?P<program>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
WSGI = """
from wsgiref.util import setup_testing_defaults

environ = {"QUERY_STRING": "question=Say+hello."}
setup_testing_defaults(environ)
print(b"".join(application(environ, lambda *head: None)).decode())
"""
MARK = re.compile(r"<!-- ([a-z]+): (.*?) -->")
FIRST_SCREEN = 1600  # characters: nobody may miss what is told there
OTHER_FENCES = ("c", "rust", "sh", "text")


def programs(pages, of_web):
    """Every block of Python in the pages and its marks, with the place where it begins."""
    for page in pages:
        text = page.read_text()
        for block in BLOCK.finditer(text):
            program = block["program"].replace("a-model", "echo")
            if of_web is not bool(re.search(r"^app = ", program, re.MULTILINE)):
                continue
            line = text.count("\n", 0, block.start("program"))
            place = f"{page.relative_to(ROOT)}:{line}"
            place += " gevent" if "import gevent" in program else ""
            yield pytest.param(program, dict(MARK.findall(block["marks"])), id=place)


def answers_of(marks):
    return eval(f"[{marks.get('answers', '')}]", vars(testing).copy())


def check_fences(pages, others):
    """What looks like Python to a reader is a program to the tests."""
    for page in pages:
        text = page.read_text()
        fences = re.findall(r"^[ >]*(?:```|~~~)[ ]*([\w.-]*)", text, re.MULTILINE)
        begun = fences[::2]
        assert len(fences) % 2 == 0 and set(begun) <= {"python", *others}, page
        assert begun.count("python") == len(list(BLOCK.finditer(text))), page


def test_no_program_is_left_out():
    """What looks like Python to a reader is a program to the tests."""
    assert len(PAGES) > 12
    check_fences(PAGES, OTHER_FENCES)


def settings(service):
    names = ("MODELWIRE_", "OPENAI_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(names)}
    return {**kept, **service.environment}


def record(file):
    """Records one response of the model `echo`."""
    command = [sys.executable, "-m", "modelwire", "serve", "--record"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with (
        Service() as service,
        subprocess.Popen(
            [*command, service.base_url, "--to", file, "--exit-with-stdin"],
            env=settings(service),
            text=True,
            **pipes,
        ) as recorder,
    ):
        url = recorder.stdout.readline().split()[-1]
        with OpenAI(base_url=url, api_key="sk-test") as client:
            client.responses.create(model="echo", input="Say hello.")
        eventually("it is recorded", lambda: file.exists() and file.stat().st_size)
        recorder.stdin.close()


def run_job(file):
    """Runs three rows in order: one is answered, one cannot be sent, one fails at the service."""
    chat = [{"role": "user", "content": "Hi"}]
    models = {"t1": "echo", "t2": 2, "t3": "broken"}
    rows = [{"custom_id": name, "model": it, "messages": chat} for name, it in models.items()]
    source = file.with_name("rows.jsonl")
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ["--ordered", "--skip-bad-lines", "--quiet"]
    command = [sys.executable, "-m", "modelwire", "bulk", source, "-o", file, *options]
    with Service() as service:
        assert subprocess.run(command, env=settings(service), check=False).returncode == 3


def check_program(program, marks, folder):
    """It ends well, prints something and complains of nothing."""
    for package in marks.get("needs", "").split():
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"no {package}")
    program += WSGI if "wsgi" in marks else marks.get("then", "")
    file = folder / "test_it.py"
    file.write_text(program)
    arguments = [file]
    if "def test_" in program:
        arguments = ["-m", "pytest", "-p", "no:cacheprovider", file]
    if "register_openai_classes" in program and "needs" not in marks:
        stand_in(folder)
    if "recording" in marks:
        record(folder / marks["recording"])
    if "results" in marks:
        run_job(folder / marks["results"])
    with Service() as service:
        service.queue(*answers_of(marks))
        done = finished(
            [sys.executable, *FLAGS, *arguments],
            cwd=folder,
            env={**settings(service), **dict([marks["env"].split("=")] if "env" in marks else [])},
            input=marks.get("stdin", "").replace("|", "\n"),
            timeout=PROGRAM_DEADLINE,
        )
        assert done.stderr == "", done.stdout + done.stderr
        assert done.stdout
        service.assert_all_taken()


@pytest.mark.parametrize(("program", "marks"), list(programs(PAGES, of_web=False)))
def test_programs_of_the_documents(program, marks, tmp_path):
    """What a reader copies works."""
    check_program(program, marks, tmp_path)


def test_the_first_programs_have_types(tmp_path):
    """What a reader meets first, and what is marked as typed, passes mypy."""
    first = [(ROOT / name).read_text() for name in ("README.md", "docs/python.md")]
    found = [block["program"] for text in first for block in BLOCK.finditer(text)]
    for page in PAGES:
        found += re.findall(r"<!-- typed -->\n```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert len(found) > 5
    for number, program in enumerate(found):
        (tmp_path / f"program_{number}.py").write_text(program)
    finished(
        [sys.executable, "-m", "mypy", "--check-untyped-defs", "."], cwd=tmp_path, timeout=None
    )


@contextlib.contextmanager
def served(program, folder, service):
    """The port of an application that runs as its reader runs it."""
    (folder / "it.py").write_text(program)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        number = listening.fileno()
        command = ["-m", "uvicorn", "it:app", "--fd", str(number), "--log-level", "warning"]
        with subprocess.Popen(
            [sys.executable, *command],
            cwd=folder,
            env=settings(service),
            pass_fds=[number],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            try:
                yield listening.getsockname()[1]
            finally:
                process.terminate()
                said, _ = process.communicate(timeout=DEADLINE)
    assert said == ""


def check_application(program, marks, folder):
    """It answers, and lets go of the service when the browser leaves."""
    path = f"/answer?question={quote('Say hello.')}"
    with Service() as service, served(program, folder, service) as port:
        service.queue(*answers_of(marks))
        asked = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
        asked.request("GET", path)
        answer = asked.getresponse()
        said = answer.read().decode()
        assert answer.status == 200 and "hello" in said, said
        asked.close()
        if "StreamingResponse" not in program:
            return
        service.queue(testing.text(["piece "] * 1000).slow(0.1))
        with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as browser:
            browser.sendall(f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
            seen = b""
            while b"piece" not in seen:
                more = browser.recv(4096)
                assert more, seen
                seen += more
            assert service.open_connections
        eventually("the service is let go of", lambda: not service.open_connections)


@pytest.mark.parametrize(("program", "marks"), list(programs(PAGES, of_web=True)))
def test_applications_of_the_documents(program, marks, tmp_path):
    """They answer, and let go of the service when the browser leaves."""
    check_application(program, marks, tmp_path)


def links():
    """Every link to a file, with the document in which it stands."""
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("py/*.md")]
    for document in sorted([*documents, *ROOT.glob("tests/*/README.md")]):
        for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
            if "://" not in link:
                yield document, link


def anchors(document):
    """The names of the headings of a document, as they are linked to."""
    text = document.read_text()
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([\w-]+)">', text))


def test_links_lead_somewhere():
    """What a reader clicks is there, and the heading in it."""
    lost = []
    for document, link in links():
        path, _, heading = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (heading and heading not in anchors(target)):
            lost.append((str(document), link))
    assert not lost


def test_each_page_of_the_guide_is_listed():
    """Whoever begins on the first page finds all others."""
    first = ROOT / "docs/python.md"
    listed = {(first.parent / link).resolve() for document, link in links() if document == first}
    assert not set(ROOT.glob("docs/python/*.md")) - listed
    readme = (ROOT / "README.md").read_text()
    assert "(docs/python.md)" in readme[:FIRST_SCREEN]
    for page in (readme, first.read_text()):
        assert "register_openai_classes" in page[:FIRST_SCREEN]
