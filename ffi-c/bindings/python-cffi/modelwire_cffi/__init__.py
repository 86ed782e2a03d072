"""modelwire over cffi: for PyPy, and for programs that ship nothing but libmodelwire.

Python programs as such use the package `modelwire`. For asyncio there is modelwire_cffi.aio.

    with Client() as client, client.stream_chat({"model": "m", "messages": [...]}) as stream:
        for chunk in stream:
            print(chunk.text, end="", flush=True)
"""

from modelwire_cffi.calls import Chunk, Response, Stream
from modelwire_cffi.client import Client
from modelwire_cffi.library import Error

__all__ = ["Chunk", "Client", "Error", "Response", "Stream"]
