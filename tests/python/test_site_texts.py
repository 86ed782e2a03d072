"""The pages of the documentation site: cookbook, tutorials, migration, troubleshooting.

Their Python programs run as those of the guide (`test_documents.py`), their C programs are compiled
and run, their shell commands have options that exist, and those under `<!-- shell: run -->` run.
Rust under `<!-- rust: program -->` is not compiled here.

Skipped is what needs a program that `make test` does not ask for: jq, libcurl's header, Go,
Node.js with the package of `make test-bindings`, and Python packages of hundreds of megabytes
(pandas, litellm ...). Where they are installed, they run.
"""

import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import modelwire
from modelwire import Limits, OpenAI, OpenAIError, Timeout, testing
from modelwire.testing import Service
from programs import FLAGS, finished
from test_documents import (
    PROGRAM_DEADLINE,
    ROOT,
    check_application,
    check_fences,
    check_program,
    programs,
    settings,
)

pytestmark = pytest.mark.thread_unsafe("each test is a program of its own")

FOLDERS = ("cookbook", "tutorials", "from")
PAGES = sorted(
    [
        ROOT / "docs/troubleshooting.md",
        *(page for folder in FOLDERS for page in ROOT.glob(f"docs/{folder}/*.md")),
    ]
)
OTHER_FENCES = ("c", "go", "html", "js", "json", "rust", "sh", "text", "yaml")
COMMAND = Path(sys.executable).with_name("modelwire")
NOWHERE = "http://127.0.0.1:9/v1"
ROWS = [{"id": f"t{number}", "text": f"Word {number}"} for number in range(3)]


def test_no_program_is_left_out():
    assert len(PAGES) > 15
    check_fences(PAGES, OTHER_FENCES)


@pytest.mark.parametrize(("program", "marks"), list(programs(PAGES, of_web=False)))
def test_programs(program, marks, tmp_path):
    check_program(program, marks, tmp_path)


@pytest.mark.parametrize(("program", "marks"), list(programs(PAGES, of_web=True)))
def test_applications(program, marks, tmp_path):
    check_application(program, marks, tmp_path)


def test_every_error_and_finding_is_explained():
    """Whoever searches for a kind of error, a finding of doctor or its words finds its section."""
    page = (ROOT / "docs/troubleshooting.md").read_text()
    words = " ".join(page.split())
    kinds = re.findall(
        r'^    \w+: "(\w+)",\s+hint', (ROOT / "core/src/answer/error_kind.rs").read_text(), re.M
    )
    causes = re.findall(
        r'^    \w+: "(\w+)",\s+cause "(.+)",$',
        (ROOT / "cli/src/doctor/causes.rs").read_text(),
        re.M,
    )
    assert len(kinds) == 22 and len(causes) > 60
    ids = re.findall(r'<a id="([\w-]+)"></a>\n\n#+ (\w+)\n', page)
    assert all(anchor in (f"kind-{name}", f"fault-{name}") for anchor, name in ids)
    expected = [f"kind-{name}" for name in kinds] + [f"fault-{name}" for name, _ in causes]
    assert sorted(anchor for anchor, _ in ids) == sorted(expected)
    assert not [cause for _, cause in causes if f"*{cause}.*" not in words]


def refuse(attempt):
    raise ValueError("no")


STREAM = {"stream": True}
PIECES = testing.text("one two three")
# Words of an error, the client's settings, the fields of the chat, and the service's answer.
QUOTED = [
    ("does not exist or you do not have access to it", {}, {"model": "none"}, None),
    ("Hint: Reproduce it with a minimal request", {}, {}, 400),
    ("Hint: Copy the whole API key again", {}, {}, 401),
    ("Hint: Check in the service's control panel: the account's balance,", {}, {}, 403),
    ("Hint: Lower the request rate and retry with backoff", {}, {}, 429),
    ("Hint: A temporary fault of the service or of an upstream provider:", {}, {}, 503),
    ("cannot connect to 127.0.0.1:9: Connection refused", {"base_url": NOWHERE}, {}, None),
    ("first_byte_timeout of ", {"timeout": Timeout(first_byte=0.1)}, {}, PIECES.stall()),
    ("idle_timeout of ", {"timeout": Timeout(idle=0.1)}, STREAM, PIECES.stall(after=1)),
    (
        "exceeded: the answer began without content",
        {"timeout": Timeout(first_content=0.1)},
        STREAM,
        PIECES.stall(after=1),
    ),
    ("dropped the connection before it answered", {}, {}, PIECES.cut()),
    ("connection closed before message completed", {}, {}, PIECES.cut()),
    ("the connection was lost in the middle of the answer", {}, {}, PIECES.cut(after=2)),
    ("not JSON (expected a JSON value at byte 0)", {}, {}, testing.document("<html>")),
    ("the chat answer has no choices: {}", {}, {}, {}),
    ("the answer has no content", {}, {}, testing.document("")),
    ("event exceeds event_bytes_max", {"limits": Limits(event_bytes_max=100)}, STREAM, PIECES),
    ("the stream ended without its end mark", {}, {"model": "no-mark", **STREAM}, None),
    ("The upstream provider failed.", {}, {"model": "error-in-stream", **STREAM}, None),
    ('messages must be an array, not "x"', {}, {"messages": "x"}, None),
    ("base_url is not a URL: relative URL", {"base_url": "host/v1"}, {}, None),
    ('the API key begins with "Bearer "', {"api_key": "Bearer sk-test"}, {}, None),
    ("no base URL is configured", {"base_url": None}, {}, None),
    ("before_attempt refused the attempt: ValueError: no", {"before_attempt": refuse}, {}, None),
]


@pytest.mark.parametrize(
    ("words", "settings", "fields", "answer"), [pytest.param(*row, id=row[0]) for row in QUOTED]
)
def test_a_quoted_message_is_the_librarys(words, settings, fields, answer, stand_in):
    """What the page on errors quotes is what a program says."""
    assert words in " ".join((ROOT / "docs/troubleshooting.md").read_text().split())
    if answer is not None:
        stand_in.queue(answer)
    place = {"base_url": stand_in.base_url, "api_key": stand_in.api_key, "max_retries": 0}
    chat = {"model": "echo", "messages": [{"role": "user", "content": "Hello."}], **fields}
    with pytest.raises(OpenAIError) as caught, OpenAI(**{**place, **settings}) as client:
        list(client.chat.completions.create(**chat))
    assert words in str(caught.value)


def blocks(language):
    """Blocks of a language, with the mark above and the place where each begins."""
    form = re.compile(
        rf"^(?:<!-- shell: (?P<mark>\w+) -->\n+)?```{language}\n(?P<text>.*?)^```$",
        re.DOTALL | re.MULTILINE,
    )
    for page in PAGES:
        text = page.read_text()
        for block in form.finditer(text):
            line = text.count("\n", 0, block.start("text"))
            place = f"{page.relative_to(ROOT)}:{line}"
            yield pytest.param(block["text"], block["mark"], id=place)


def commands(text):
    """The arguments of each `modelwire` in a piece of shell."""
    for line in re.sub(r"\\\n", " ", text).splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;()<>")
        lexer.whitespace_split = True
        words = []
        for word in [*lexer, ";"]:
            if not set(word) <= set("|&;()"):
                words.append(word)
                continue
            while words and re.match(r"[A-Z_]+=", words[0]):
                del words[0]
            if words and words[0] == "modelwire":
                yield words[1:]
            words = []


HELP = {}
OF_OTHERS = {"--preload", "--master", "--cflags", "--libs"}  # gunicorn, uWSGI, pkg-config


def help_of(*names):
    if names not in HELP:
        HELP[names] = finished([COMMAND, *names, "--help"], env={"PATH": ""}).stdout
    return HELP[names]


def check_options(words):
    """Each option is one of its command."""
    names = [words[0]]
    if words[:2] in (["bulk", "status"], ["bulk", "set"]):
        names.append(words[1])
    known = help_of(*names)
    for word in words[len(names) :]:
        option = re.match(r"-[a-zA-Z]\b|--[a-z][a-z-]+", word)
        if option:
            assert re.search(rf"(?<![\w-]){option[0]}(?![\w-])", known), f"{names}: no {word}"


SHELL = list(blocks("sh"))


def spans():
    """What stands in backquotes within the text of each page."""
    for page in [*PAGES, ROOT / "docs/comparison.md", ROOT / "docs/policies.md"]:
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        for span in re.findall(r"`([^`]+)`", text):
            yield page.name, " ".join(span.split())


def test_options_of_commands():
    """No page names an option that the command does not have."""
    found = [words for block in SHELL for words in commands(block.values[0])]
    found += [words for _, span in spans() for words in commands(span) if words]
    assert len(found) > 60
    for words in found:
        check_options(words)
    with pytest.raises(AssertionError, match="no --max-price"):
        check_options(["bulk", "in.jsonl", "--max-price", "3"])


def test_names_in_the_text():
    """Options of the command and arguments of Python's classes that the text mentions exist."""
    helps = [help_of(name) for name in ("bulk", "chat", "doctor", "models", "serve")]
    known = {option for text in helps for option in re.findall(r"--[a-z][a-z-]+", text)}
    seen = 0
    for page, span in spans():
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", span):
            assert option in known | OF_OTHERS, (page, span)
            seen += 1
        for name, arguments in re.findall(r"\b(Retry|Timeout|Limits|OpenAI)\(([^`]*)\)", span):
            parameters = inspect.signature(getattr(modelwire, name)).parameters
            for argument in re.findall(r"(\w+)=", re.sub(r"\(.*?\)|\".*?\"", "", arguments)):
                assert argument in parameters, (page, span)
                seen += 1
    assert seen > 50


def scripts():
    """What is run together: a block of the cookbook, all blocks of a tutorial."""
    of_tutorials = {}
    for block in SHELL:
        text, mark = block.values
        page = block.id.split(":")[0]
        if mark == "run" and "/tutorials/" in page:
            of_tutorials.setdefault(page, []).append(text)
        elif mark == "run":
            yield pytest.param(text, id=block.id)
    for page, texts in of_tutorials.items():
        yield pytest.param("".join(texts), id=page)


@pytest.mark.parametrize("script", list(scripts()))
def test_commands(script, tmp_path):
    """What a reader types works."""
    if "jq " in script and shutil.which("jq") is None:
        pytest.skip("no jq")
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    (tmp_path / "texts.jsonl").write_text(lines)
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    with Service() as service:
        finished(
            ["bash", "-c", "set -e\n" + re.sub(r"\bMODEL\b", "echo", script)],
            cwd=tmp_path,
            env={**settings(service), "PATH": path},
            stdin=subprocess.DEVNULL,
        )


def program_of(page, language):
    """The last block of a language in a page."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    return found[-1].replace("a-model", "echo")


def library():
    """The C library, which is built beside the service."""
    built = Path(os.environ["MODELWIRE_SERVICE"]).absolute().parent
    if not (built / "libmodelwire.so").exists():
        pytest.skip(f"no libmodelwire.so in {built}: `make test` builds it")
    return built


@pytest.mark.parametrize(
    ("text", "mark"), [block for block in blocks("c") if "int main" in block.values[0]]
)
def test_c_programs(text, mark, tmp_path):
    """They compile without a warning, and print an answer."""
    is_of_curl = "<curl/curl.h>" in text
    if is_of_curl and not Path("/usr/include/x86_64-linux-gnu/curl/curl.h").exists():
        pytest.skip("no curl/curl.h")
    (tmp_path / "it.c").write_text(text.replace("a-model", "echo"))
    (tmp_path / "libmodelwire.so.0.1").symlink_to(library() / "libmodelwire.so")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"]
    libraries = [library() / "libmodelwire.so", f"-Wl,-rpath,{tmp_path}", *["-lcurl"] * is_of_curl]
    finished(["cc", *flags, "it.c", "-o", "it", *libraries], cwd=tmp_path)
    with Service() as service:
        done = finished(["./it"], cwd=tmp_path, env=settings(service))
    assert "hello" in done.stdout.lower() and done.stderr == "", done


@pytest.mark.parametrize(
    ("text", "mark", "check"),
    [
        pytest.param(*block.values, check, id=block.id)
        for language, check in (
            ("js", ["node", "--input-type=module", "--check"]),
            ("go", ["gofmt", "-e", "-l"]),
        )
        for block in blocks(language)
    ],
)
def test_syntax_of_other_languages(text, mark, check, tmp_path):
    """Nothing is misspelt, and Go is as gofmt formats it."""
    if shutil.which(check[0]) is None:
        pytest.skip(f"no {check[0]}")
    done = finished(check, input=text)
    assert "standard input" not in done.stdout, "not as gofmt formats it"


def test_the_go_program(tmp_path):
    """What a reader of the page on openai-go has in the end, with the commands of the page."""
    if not all(map(shutil.which, ("go", "gofmt", "cc", "pkg-config"))):
        pytest.skip("no Go with cgo and pkg-config")
    page = ROOT / "docs/from/openai-go.md"
    (tmp_path / "main.go").write_text(program_of(page, "go"))
    for name in ("libmodelwire.so", "libmodelwire.so.0.1"):
        (tmp_path / name).symlink_to(library() / "libmodelwire.so")
    flags = f"Cflags: -I{ROOT / 'include'}\nLibs: -L{tmp_path} -lmodelwire\n"
    head = "Name: modelwire\nDescription: as it was built\nVersion: 0\n"
    (tmp_path / "modelwire.pc").write_text(head + flags)
    commands = program_of(page, "sh").replace("/path/to/modelwire", str(ROOT))
    with Service() as service:
        done = finished(
            ["bash", "-ec", f"go mod init it\n{commands}\nexec ./it"],
            cwd=tmp_path,
            env={
                **settings(service),
                "PKG_CONFIG_PATH": str(tmp_path),
                "CGO_LDFLAGS": f"-L{tmp_path}",  # Go keeps what pkg-config said for another folder
                "LD_LIBRARY_PATH": str(tmp_path),
                "GOPROXY": "off",
            },
            timeout=PROGRAM_DEADLINE,
        )
    assert done.stdout == "Say hello."


def test_the_node_program(tmp_path):
    """What a reader of the page on openai-node has in the end, in Node.js with the package."""
    modules = library().parent / "bindings/node/app/node_modules"
    if shutil.which("node") is None or not modules.exists():
        pytest.skip(f"no node, or no package in {modules}: `make test-bindings` installs it")
    (tmp_path / "it.mjs").write_text(program_of(ROOT / "docs/from/openai-node.md", "js"))
    (tmp_path / "node_modules").symlink_to(modules)
    with Service() as service:
        done = finished(["node", "it.mjs"], cwd=tmp_path, env=settings(service))
    assert done.stdout == "Say hello.Say hello. 4\n"


def test_notebook(tmp_path):
    """It is a notebook, and its cells run one after another."""
    notebook = json.loads((ROOT / "docs/tutorials/notebook.ipynb").read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(sources) > 4 and all(cell.get("outputs", []) == [] for cell in cells)
    # A cell may await: so does the program.
    body = "\n".join(sources).replace("a-model", "echo")
    (tmp_path / "it.py").write_text(body)
    runner = "import ast, asyncio, inspect, sys\n" + (
        "code = compile(open('it.py').read(), 'it.py', 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)\n"
        "done = eval(code, {'__name__': '__main__'})\n"
        "inspect.iscoroutine(done) and asyncio.run(done)\n"
    )
    with Service() as service:
        done = finished([sys.executable, *FLAGS, "-c", runner], cwd=tmp_path, env=settings(service))
    assert done.stderr == "" and done.stdout, done
