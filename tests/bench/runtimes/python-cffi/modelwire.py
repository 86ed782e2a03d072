"""The binding's client for threads."""

import modelwire_cffi
from measure import BODY, KEY, measure


def chat(base_url, operations, _):
    client, text_bytes = modelwire_cffi.Client(base_url=base_url, api_key=KEY), 0
    for _ in range(operations):
        text_bytes += len(client.chat(BODY).text.encode())
    return operations, text_bytes


def stream(base_url, _, at_once):
    client, events, text_bytes = modelwire_cffi.Client(base_url=base_url, api_key=KEY), 0, 0
    for _ in range(at_once):
        for chunk in client.stream_chat(BODY):
            events += 1
            text_bytes += len(chunk.text.encode())
    return events, text_bytes


measure(chat, stream)
