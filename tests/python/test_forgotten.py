"""What is easily forgotten when something is added: an option of the core that Python lacks, a file
that is generated, a stub. Each says what is missing and where it belongs."""

import ast
import importlib
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import modelwire
import programs
from modelwire import _parameters

pytestmark = pytest.mark.thread_unsafe("it reads sources, and calls nothing")

PROJECT = Path(__file__).parents[2]


def rust(pattern):
    """What a pattern matches in the sources of the core; it must be there."""
    found = []
    for path in sorted((PROJECT / "core" / "src").rglob("*.rs")):
        found += re.findall(pattern, path.read_text(), re.MULTILINE | re.DOTALL)
    assert found, f"nothing in core/src is {pattern}"
    return "".join(found)


def rust_rows(table):
    """The names of the rows of a table of the core, which is a macro."""
    return set(re.findall(r"(?m)^    (\w+): .*;$", rust(rf"^{table}! \{{(.*?)^\}}")))


def rust_setters(struct):
    """The methods that return the thing itself: they set something of it; some are made by rows."""
    code = rust(rf"^(?:impl {struct} \{{|options! \{{[^;]*setters of {struct};)(.*?)^\}}")
    methods = rf"pub fn (\w+)\((?:mut )?self\b[^{{]*-> {struct}\b"
    return {*re.findall(methods, code), *re.findall(r"(\w+): (?:Text|Flag|Count) \|", code)}


@pytest.mark.parametrize(
    ("table", "ours"),
    [
        ("limits", modelwire.Limits),
        ("timeouts", modelwire.Timeout),
        ("policy", modelwire.Retry),
    ],
    ids=str,
)
def test_every_setting_of_the_core_is_one_of_python(table, ours):
    """And none is here that is not there; py/src/settings.rs reads them, and refuses others."""
    theirs = rust_rows(table)
    if table == "timeouts":  # beside the times that the table has
        theirs |= rust_setters("Timeouts")
    here = f"class {ours.__name__} in py/python/modelwire/_options.py"
    assert theirs - set(ours.__slots__) == set(), f"the core's {table} have more: add to {here}"
    assert set(ours.__slots__) - theirs == set(), f"the core's {table} do not have this: {here}"


@pytest.mark.parametrize(
    "settings",
    [
        {"limits": modelwire.Limits(**dict.fromkeys(modelwire.Limits.__slots__, 1000))},
        {
            "timeout": modelwire.Timeout(
                1.0,
                pool=1.0,
                connect=1.0,
                first_content=1.0,
                total=1.0,
                pings_reset_idle=True,
            )
        },
        {
            "retry": modelwire.Retry(
                max_retries=1,
                first_wait=1.0,
                wait_max=1.0,
                statuses=[429],
                connect_errors=True,
                lost_connections=True,
                first_byte_timeouts=True,
                before_content=True,
                jitter=0.0,
                retry_after_max=1.0,
                retry_after_exact=True,
                adaptive=True,
            )
        },
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_every_setting_is_read(settings):
    """The native side refuses a setting that no line of py/src/settings.rs reads."""
    one = next(iter(settings.values()))
    assert set(one._given()) == set(one.__slots__), "add the new field to this test"
    with modelwire.Client(base_url="http://127.0.0.1:9/v1", api_key="sk-x", **settings):
        pass


def test_a_setting_that_nothing_reads_is_refused():
    """So that none is lost on its way."""
    for options in ({"limit": {}}, {"limits": {"no_such": 1}}, {"timeout": {"no_such": 1.0}}):
        with pytest.raises(TypeError, match="unknown setting"):
            modelwire._native.NativeClient("http://127.0.0.1:9/v1", "sk-x", options)


# What a Config or a Request of the core sets that has another name in Python, or none.
OF_CLIENT = {
    "header": "default_headers",
    "query": "default_query",
    "timeouts": "timeout",
    "add_ca_pem": "ca",
    "client_certificate_pem": "client_certificate",
    "runtime": None,  # a runtime of Rust; Python programs have none
    "io_thread": None,  # as here: the alternative is such a runtime
}
OF_CALL = {
    "header": "extra_headers",
    "without_header": "extra_headers",  # where a value is omit
    "api_key": None,  # by with_options(api_key=...), as in openai-python
    "query": "extra_query",
    "pool_timeout": "timeout",
    "first_byte_timeout": "timeout",
    "first_content_timeout": "timeout",
    "idle_timeout": "timeout",
    "total_timeout": "timeout",
    "pings_reset_idle": "timeout",
    "retry": None,  # by with_options(max_retries=...), as in openai-python
    "to_service": None,  # for bulk, which chooses one of several services
    "with_options_of": None,  # for bulk, whose calls are all alike
    "chunk_times": None,  # by the client's option, and where an observer asks
    "tag": None,  # of calls with observers
    # Fields of the body are parameters of their own, or stand in extra_body.
    **dict.fromkeys(("set", "set_json"), "extra_body"),
    **dict.fromkeys(("message", "user", "system", "assistant", "add_message"), "messages"),
    **dict.fromkeys(("add_response", "tool_result"), "messages"),
    **dict.fromkeys(("add_text", "add_image", "add_image_url"), "messages"),
    **dict.fromkeys(("tool", "add_json"), "tools"),
    "response_schema": "response_format",
}


@pytest.mark.parametrize(
    ("struct", "known", "takes"),
    [
        ("Config", OF_CLIENT, [modelwire.Client]),
        ("Request", OF_CALL, [_parameters.chat, _parameters.response]),
    ],
    ids=["of_a_client", "of_a_call"],
)
def test_every_option_of_the_core_is_one_of_python(struct, known, takes):
    """By its name, or by that of the table above; an option of a call is a line in a table of
    py/stubs/write.py."""
    options = rust_setters(struct)
    there = {name for one in takes for name in inspect.signature(one).parameters}
    assert known.keys() <= options, f"{sorted(known.keys() - options)} of {struct} are gone"
    lost = {name for name in options if known.get(name, name) not in there | {None}}
    assert not lost, f"of {struct}, Python has no {sorted(lost)}"


def test_every_generated_file_is_new():
    """What `make generate` writes is what is there; the difference is told."""
    command = [sys.executable, PROJECT / "py" / "stubs" / "write.py", "--check"]
    programs.finished(command)


def test_a_stale_file_is_reported(tmp_path):
    """With the command that writes it anew."""
    without = shutil.ignore_patterns("__pycache__", "*.so")
    for folder in ("stubs", "src/object", "python/modelwire"):
        shutil.copytree(PROJECT / "py" / folder, tmp_path / folder, ignore=without)
    fields = (PROJECT / "py" / "fields.txt").read_text()
    fields = fields.replace("    owned_by: str\n", "    owned_by: str\n    planet: str\n")
    (tmp_path / "fields.txt").write_text(fields)
    script = tmp_path / "stubs" / "write.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode != 0 and "make generate" in done.stderr
    shape = '+    MODEL "Model" { id, created, object, owned_by, planet, shutdown_date }'
    for line in ("+    planet: str", shape):
        assert line in done.stderr.splitlines()
    for name in ("_native.pyi", "fields.rs", "classes.rs"):
        assert f"--- {name} as it is" in done.stderr
    assert subprocess.run([sys.executable, script]).returncode == 0
    lost = tmp_path / "python" / "modelwire" / "types" / "chat" / "forgotten.py"
    lost.write_text("")
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode != 0 and "forgotten.py is in no table" in done.stderr
    assert subprocess.run([sys.executable, script]).returncode == 0 and not lost.exists()
    assert subprocess.run([sys.executable, script, "--check"]).returncode == 0


def names_of(path):
    """What a module or a stub defines or imports at its top, also under `if TYPE_CHECKING`."""
    found = set()

    def look(body):
        for one in body:
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found.add(one.name)
            elif isinstance(one, (ast.Import, ast.ImportFrom)):
                found.update(name.asname or name.name for name in one.names)
            elif isinstance(one, ast.Assign):
                found.update(name.id for name in one.targets if isinstance(name, ast.Name))
            elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                found.add(one.target.id)
            elif isinstance(one, ast.If):
                look(one.body + one.orelse)

    look(ast.parse(path.read_text()).body)
    return found


def test_every_name_has_its_stub():
    """Of the native module and of the resources, whose types stand in files of their own."""
    for module, stub in (
        (modelwire._native, PROJECT / "py/python/modelwire/_native.pyi"),
        (modelwire._resources, PROJECT / "py/python/modelwire/_resources.pyi"),
    ):
        own = {
            name
            for name, one in vars(module).items()
            if not name.startswith("_")
            and (module is modelwire._native or getattr(one, "__module__", "") == module.__name__)
        }
        missing = sorted(own - names_of(stub))
        assert not missing, (
            f"{missing} of {module.__name__}: add them to py/stubs, then `make generate`"
        )


def test_every_class_can_be_imported_from_where_it_says():
    """fields.txt names a module for each class, which has to import it."""
    module, lost = "", []
    for line in (PROJECT / "py" / "fields.txt").read_text().splitlines():
        if line.startswith("["):
            module = line.strip("[]")
        found = re.match(r"(\w+)(?: \(streamed\))?: ", line)
        if found and not hasattr(importlib.import_module(module), found[1]):
            lost.append(f"{module}.{found[1]}")
    assert not lost, f"not exported in py/python/modelwire/types: {lost}"


def test_the_readme_lists_every_file():
    """py/README.md says what each file is for, and none that is not there."""
    text = (PROJECT / "py" / "README.md").read_text()
    told = set(re.findall(r"^\| (`.+?) \| (?!.*\| )", text, re.MULTILINE))
    told = {name for cell in told for name in re.findall(r"`([^`]+)`", cell)}
    src, package = PROJECT / "py" / "src", PROJECT / "py" / "python" / "modelwire"
    files = {path.name for path in [*src.rglob("*.rs"), *package.glob("*.py*")]}
    files |= {path.name for path in (package / "types").glob("_*.py")}
    files |= {f"{path.parent.name}/" for path in package.glob("*/__init__.py")}
    untold = sorted(files - told - {"mod.rs", "py.typed"})
    assert not untold, f"py/README.md does not say what these are for: {untold}"
    gone = sorted(
        name for name in told - files if name.endswith((".rs", ".py")) and "/" not in name
    )
    gone = [name for name in gone if not (PROJECT / "py" / name).exists()]
    assert not gone, f"py/README.md names what is not there: {gone}"
