"""chatlas: a chat over responses and chat completions, with tools and structured answers."""
# needs: chatlas[openai]==0.23.0

import drive

drive.stand_in()

from chatlas import ChatOpenAI, ChatOpenAICompletions
from pydantic import BaseModel

from modelwire.testing import text


class City(BaseModel):
    """A city."""

    name: str


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def both(function):
    """The same case over both operations."""
    for kind, name in ((ChatOpenAICompletions, "chat"), (ChatOpenAI, "responses")):

        def run(service, kind=kind):
            made = kind(model="echo", base_url=service.base_url, api_key=service.api_key)
            return function(service, made)

        run.__name__ = f"{function.__name__}_{name}"
        drive.case(run)
    return function


@both
def whole(service, chat):
    return str(chat.chat("One two.", echo="none", stream=False))


@both
def streamed(service, chat):
    return list(chat.stream("One two."))


@both
def tool(service, chat):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "Sunny.")
    chat.register_tool(weather)
    return str(chat.chat("Weather in Paris?", echo="none"))


@both
def structured(service, chat):
    service.queue('{"name": "Paris"}')
    return chat.chat_structured("Which city?", data_model=City).model_dump()


drive.main()
