"""A chat completion, whole and streamed. Needs MODELWIRE_BASE_URL, MODELWIRE_API_KEY and
MODELWIRE_MODEL."""

import os
import sys

from modelwire import OpenAI, OpenAIError
from modelwire.types.chat import ChatCompletion


def whole(client: OpenAI, model: str) -> ChatCompletion:
    completion = client.chat.completions.create(
        model=model,
        messages=[{"role": "user", "content": "Say hello."}],
        max_tokens=50,
    )
    print(completion.choices[0].message.content, completion.choices[0].finish_reason)
    if completion.usage is not None:
        print("tokens:", completion.usage.total_tokens)
    return completion


def streamed(client: OpenAI, model: str, before: ChatCompletion) -> None:
    with client.chat.completions.create(
        model=model,
        messages=[
            {"role": "user", "content": "Say hello."},
            before.choices[0].message,
            {"role": "user", "content": "Say it again."},
        ],
        stream=True,
    ) as stream:
        for chunk in stream:
            for choice in chunk.choices:
                sys.stdout.write(choice.delta.content or "")
    print(f"\nended by {stream.end}")


def main() -> None:
    model = os.environ["MODELWIRE_MODEL"]
    try:
        with OpenAI() as client:
            streamed(client, model, whole(client, model))
    except OpenAIError as error:
        sys.exit(str(error))  # what went wrong, and what to do about it


if __name__ == "__main__":
    main()
