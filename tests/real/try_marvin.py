"""marvin: tasks, extraction, classification, tools, events, of agents that are handed a client."""
# needs: marvin==3.2.7 pydantic-ai==1.107.10

import itertools
import os
import random
import tempfile
import uuid

os.environ["MARVIN_HOME_PATH"] = tempfile.mkdtemp()
os.environ["MARVIN_ENABLE_DEFAULT_PRINT_HANDLER"] = "false"

import drive

drive.stand_in()  # pydantic-ai, below it, asks isinstance

import marvin
from pydantic import BaseModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

from modelwire.testing import error, text

# It names each agent, task and message by chance.
numbers = itertools.count(1)
uuid.uuid4 = lambda: uuid.UUID(bytes=(next(numbers)).to_bytes(4, "big") * 4)


class City(BaseModel):
    """A city."""

    name: str


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def both(function):
    """The same case over both operations."""
    for kind, name in ((OpenAIChatModel, "chat"), (OpenAIResponsesModel, "responses")):

        async def run(service, kind=kind):
            provider = OpenAIProvider(openai_client=drive.async_client(service))
            agent = marvin.Agent(name="A", model=kind("echo", provider=provider))
            return await function(service, agent)

        run.__name__ = f"{function.__name__}_{name}"
        drive.case(run)
    return function


@both
async def plain(service, agent):
    return await marvin.run_async("Say hello.", agents=[agent])


drive.main()
