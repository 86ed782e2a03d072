"""Many chat completions at once, with asyncio. Needs MODELWIRE_BASE_URL, MODELWIRE_API_KEY and
MODELWIRE_MODEL."""

import asyncio
import os
import sys

import modelwire
from modelwire import AsyncOpenAI


async def ask(client: AsyncOpenAI, model: str, number: int) -> str:
    question = f"What is {number} squared?"
    completion = await client.chat.completions.create(
        model=model, messages=[{"role": "user", "content": question}]
    )
    return completion.choices[0].message.content or ""


async def listen(client: AsyncOpenAI, model: str) -> int:
    stream = await client.chat.completions.create(
        model=model, messages=[{"role": "user", "content": "Count to ten."}], stream=True
    )
    length = 0
    async with stream:
        async for text in stream.text_deltas():
            length += len(text)
    return length


async def main() -> None:
    model = os.environ["MODELWIRE_MODEL"]
    async with AsyncOpenAI(timeout=modelwire.Timeout(total=60)) as client:
        names = [entry.id async for entry in client.models.list()]
        answers = await asyncio.gather(*(ask(client, model, number) for number in range(20)))
        print(len(names), "models,", len(answers), "answers,", await listen(client, model), "chars")
        for name, used in client.usage().items():
            print(name, used["calls"], "calls", used["total_tokens"], "tokens", end="; ")
            print(used["calls_without_usage"], "of these calls reported none")


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except modelwire.OpenAIError as error:
        sys.exit(str(error))  # what went wrong, and what to do about it
