"""The library as its header declares it, its errors as exceptions."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

import cffi

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = [HERE / "modelwire.ffi.h", *(up / "include/modelwire.ffi.h" for up in HERE.parents)]
ffi = cffi.FFI()
ffi.cdef(next(filter(pathlib.Path.is_file, HEADERS), HEADERS[0]).read_text())
PACKED = [str(path) for path in HERE.glob("libmodelwire.*")]
lib = ffi.dlopen(os.environ.get("MODELWIRE_LIBRARY") or [*PACKED, "libmodelwire.so.0.1"][0])
if lib.modelwire_check_abi(lib.MODELWIRE_ABI) != lib.MODELWIRE_OK:
    raise ImportError("this libmodelwire does not fit its header")
LENGTH = ffi.typeof("size_t *")


class Error(Exception):
    """What is known of a failure; `json` has all of it as text."""

    kind: str | None = None
    message: str | None = None
    hint: str | None = None
    doc_url: str | None = None
    http_status: int | None = None
    type: str | None = None
    code: str | None = None
    param: str | None = None
    request_id: str | None = None
    path: str | None = None
    model: str | None = None
    timeout: str | None = None
    metered: str | None = None
    body: str | None = None
    partial: str | None = None
    headers: list[dict[str, str]] | None = None
    request_time_unix_ms: int | None = None
    attempts: int | None = None
    elapsed_ms: int | None = None
    retry_after_ms: int | None = None
    rate_limits: dict[str, Any] | None = None
    timing: dict[str, Any] | None = None
    json: str

    def __init__(self, text: str):
        super().__init__(text)
        self.__dict__.update(json.loads(text), json=text)

    def __str__(self):
        return f"{self.kind}: {self.message}\n{self.hint or ''}".rstrip()


def text_of(read, *arguments):
    """What a function gives with its length."""
    length = ffi.new(LENGTH)  # of its own: another thread may read a text meanwhile
    text = read(*arguments, length)
    return ffi.unpack(text, length[0]).decode()


def json_of(value):
    """The arguments `json` and `length`; a str is JSON text already."""
    text = (value if isinstance(value, str) else json.dumps(value)).encode()
    return text, len(text)


def do(function, *arguments):
    """Raises what a function gives through `err`."""
    error = ffi.new("modelwire_error **")
    if function(*arguments, error) != lib.MODELWIRE_OK:
        raise Error(text_of(lib.modelwire_error_json, ffi.gc(error[0], lib.modelwire_error_free)))


def new(noun, *arguments):
    """A handle that is freed with the object that holds it."""
    out = ffi.new(f"modelwire_{noun} **")
    do(getattr(lib, f"modelwire_{noun}_new"), *arguments, out)
    return ffi.gc(out[0], getattr(lib, f"modelwire_{noun}_free"))
