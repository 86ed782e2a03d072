"""The Python scenarios of the benchmark. Prints the CPU time that each operation took in this
process; knows no other client.

    client.py SCENARIO BASE_URL COUNT
"""

import sys
import time

import modelwire

MESSAGES = [{"role": "user", "content": "hello"}]


def stream(client: modelwire.Client, count: int) -> None:
    seen = text = 0
    for chunk in client.chat.completions.create(model="bench", messages=MESSAGES, stream=True):
        seen += 1
        text += len(chunk.choices[0].delta.content or "")
    assert seen > count and text >= count, (seen, text)


def plain(client: modelwire.Client, count: int) -> None:
    for _ in range(count):
        answer = client.chat.completions.create(model="bench", messages=MESSAGES)
        assert answer.choices[0].message.content


def main() -> None:
    scenario, base_url, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    cpu, wall = time.process_time(), time.perf_counter()
    client = modelwire.Client(base_url=base_url, api_key="sk-test")
    {"python-stream": stream, "python-plain": plain}[scenario](client, count)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(f"{cpu / count * 1e6:.4f} {wall / count * 1e6:.4f} {count}")


main()
