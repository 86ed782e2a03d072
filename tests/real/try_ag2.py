"""ag2: agents over chat and responses, whole and streamed, with tools and a response schema."""
# needs: ag2[openai]==1.2.1 openai==3.57.0

import drive

drive.stand_in()  # its configurations make their own clients

from ag2 import Agent
from ag2.config.openai import OpenAIConfig, OpenAIResponsesConfig
from pydantic import BaseModel

from modelwire.testing import error, text


class City(BaseModel):
    """A city."""

    name: str


def chat(service, **options):
    return OpenAIConfig("echo", api_key=service.api_key, base_url=service.base_url, **options)


def responses(service, **options):
    return OpenAIResponsesConfig(
        "echo", api_key=service.api_key, base_url=service.base_url, **options
    )


async def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def asked(config, **options):
    @drive.case
    async def case(service):
        service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
        agent = Agent("A", "Be brief.", config=config(service, **options), tools=[weather])
        return (await agent.ask("Weather in Paris?")).body

    case.__name__ = f"{config.__name__}{'_streamed' if options else ''}"


asked(chat)
asked(chat, streaming=True)
asked(responses)
asked(responses, streaming=True)


@drive.case
async def second_turn(service):
    agent = Agent("A", config=chat(service))
    first = await agent.ask("One.")
    return [first.body, (await first.ask("Two.")).body]


@drive.case
async def structured(service):
    service.queue('{"name": "Paris"}')
    agent = Agent("A", config=chat(service), response_schema=City)
    return (await (await agent.ask("Which city?")).content()).model_dump()


@drive.case
async def refused(service):
    service.queue(error(400, "No."))
    try:
        return (await Agent("A", config=chat(service)).ask("Say it.")).body
    except Exception as failure:
        return [type(failure).__name__, "No." in str(failure)]


drive.main()
