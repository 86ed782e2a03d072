"""semantic-kernel: chat completion with plugins, whole and streamed, handed a client."""
# needs: semantic-kernel==1.45.0

import drive

drive.stand_in()

from semantic_kernel import Kernel
from semantic_kernel.connectors.ai import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import (
    OpenAIChatCompletion,
    OpenAIChatPromptExecutionSettings,
)
from semantic_kernel.contents import ChatHistory
from semantic_kernel.functions import kernel_function

from modelwire.testing import text


class Weather:
    """A plugin."""

    @kernel_function
    def weather(self, city: str) -> str:
        """The weather of a city."""
        return f"sunny in {city}"


def asked():
    history = ChatHistory()
    history.add_user_message("Weather in Paris?")
    return history


def model(service):
    return OpenAIChatCompletion("echo", async_client=drive.async_client(service))


@drive.case
async def whole(service):
    settings = OpenAIChatPromptExecutionSettings()
    answer = await model(service).get_chat_message_content(asked(), settings)
    return [answer.content, answer.metadata["usage"].prompt_tokens]


@drive.case
async def streamed(service):
    settings = OpenAIChatPromptExecutionSettings()
    found = model(service).get_streaming_chat_message_content(asked(), settings)
    return [str(piece) async for piece in found]


CALLED = text("", tool_calls=[("w-weather", {"city": "Paris"})])


def with_plugin():
    kernel = Kernel()
    kernel.add_plugin(Weather(), "w")
    automatic = FunctionChoiceBehavior.Auto()
    return kernel, OpenAIChatPromptExecutionSettings(function_choice_behavior=automatic)


@drive.case
async def plugin(service):
    service.queue(CALLED, "Sunny.")
    kernel, settings = with_plugin()
    answer = await model(service).get_chat_message_content(asked(), settings, kernel=kernel)
    return answer.content


@drive.case
async def plugin_streamed(service):
    service.queue(CALLED, "It is sunny.")
    kernel, settings = with_plugin()
    found = model(service).get_streaming_chat_message_content(asked(), settings, kernel=kernel)
    return [str(piece) async for piece in found]


drive.main()
