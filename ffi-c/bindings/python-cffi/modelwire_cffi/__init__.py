"""modelwire over cffi: for PyPy, and for programs that ship nothing but libmodelwire.

Python programs as such use the package `modelwire`. Copy this folder, and include/modelwire.ffi.h
into it. It needs libmodelwire.so.0.1, where the loader finds it or MODELWIRE_LIBRARY says, Python
3.9, and cffi (`pip install cffi`; PyPy has it built in). For asyncio there is modelwire_cffi.aio.
The example: MODELWIRE_BASE_URL=... MODELWIRE_API_KEY=... python3 example.py MODEL TEXT

    with Client() as client, client.stream_chat({"model": "m", "messages": [...]}) as stream:
        for chunk in stream:
            print(chunk.text, end="", flush=True)
"""

from modelwire_cffi.calls import Event, Stream
from modelwire_cffi.client import Client
from modelwire_cffi.library import Error

__all__ = ["Client", "Error", "Event", "Stream"]
