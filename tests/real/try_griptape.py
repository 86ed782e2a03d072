"""griptape: a prompt driver whole and streamed, an agent with a tool, structured output."""
# needs: griptape[drivers-prompt-openai]==1.13.0

import drive

drive.stand_in()  # its driver makes its own client

from griptape.drivers.prompt.openai import OpenAiChatPromptDriver
from griptape.structures import Agent
from griptape.tools import CalculatorTool
from pydantic import BaseModel

from modelwire.testing import error, text


class City(BaseModel):
    """A city."""

    name: str


def driver(service, **options):
    return OpenAiChatPromptDriver(
        model="echo", base_url=service.base_url, api_key=service.api_key, max_attempts=1, **options
    )


@drive.case
def plain(service):
    return Agent(prompt_driver=driver(service)).run("Say hello.").output.value


@drive.case
def streamed(service):
    agent = Agent(prompt_driver=driver(service, stream=True))
    return [type(event).__name__ for event in agent.run_stream("One two three.")]


@drive.case
def structured(service):
    service.queue('{"name": "Paris"}')
    agent = Agent(
        prompt_driver=driver(service, structured_output_strategy="native"), output_schema=City
    )
    return agent.run("Which city?").output.value.model_dump()


@drive.case
def refused(service):
    service.queue(error(400, "No."))
    found = Agent(prompt_driver=driver(service)).run("Say it.")
    return [type(found.output).__name__, "No." in str(found.output)]


@drive.case
def tools(service):
    call = ("CalculatorTool_calculate", {"values": {"expression": "2 + 3"}})
    service.queue(text("", tool_calls=[call]), "It is 5.")
    return Agent(prompt_driver=driver(service), tools=[CalculatorTool()]).run("2 + 3?").output.value


@drive.case
def streamed_tools(service):
    call = ("CalculatorTool_calculate", {"values": {"expression": "2 + 3"}})
    service.queue(text("", tool_calls=[call]), "It is 5.")
    agent = Agent(prompt_driver=driver(service, stream=True), tools=[CalculatorTool()])
    return [type(event).__name__ for event in agent.run_stream("2 + 3?")]


@drive.case
def structured_by_tool(service):
    service.queue(text("", tool_calls=[("StructuredOutputTool_provide_output", {"name": "Paris"})]))
    agent = Agent(
        prompt_driver=driver(service, structured_output_strategy="tool"), output_schema=City
    )
    return agent.run("Which city?").output.value.model_dump()


drive.main()
