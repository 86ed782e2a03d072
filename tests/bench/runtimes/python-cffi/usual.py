"""What Python programs do without an SDK: requests, and json."""

import json

import requests
from measure import BODY, KEY, measure


def session_of(base_url):
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {KEY}"
    return session, f"{base_url}/chat/completions"


def chat(base_url, operations, _):
    (session, url), text_bytes = session_of(base_url), 0
    for _ in range(operations):
        answer = session.post(url, json=BODY)
        answer.raise_for_status()
        text_bytes += len(answer.json()["choices"][0]["message"]["content"].encode())
    return operations, text_bytes


def stream(base_url, _, at_once):
    (session, url), events, text_bytes = session_of(base_url), 0, 0
    for _ in range(at_once):
        with session.post(url, json={**BODY, "stream": True}, stream=True) as answer:
            answer.raise_for_status()
            for line in answer.iter_lines():
                if line.startswith(b"data: ") and line != b"data: [DONE]":
                    chunk = json.loads(line[6:])
                    events += 1
                    text_bytes += len((chunk["choices"][0]["delta"].get("content") or "").encode())
    return events, text_bytes


measure(chat, stream)
