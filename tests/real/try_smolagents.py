"""smolagents: a tool-calling agent whose model has its client replaced."""
# needs: smolagents[openai]==1.26.0

import drive

drive.stand_in()  # OpenAIModel makes its own client

from smolagents import OpenAIModel, ToolCallingAgent, tool

from modelwire.testing import text


@tool
def weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: the city
    """
    return f"sunny in {city}"


def model(service):
    return OpenAIModel("echo", api_base=service.base_url, api_key=service.api_key)


ANSWERS = (
    text("", tool_calls=[("weather", {"city": "Paris"})]),
    text("", tool_calls=[("final_answer", {"answer": "sunny"})]),
)


@drive.case
def asked(service):
    service.queue("Hello there.")
    answer = model(service)([{"role": "user", "content": "Say hello."}])
    return [answer.content, answer.token_usage.input_tokens, answer.token_usage.output_tokens]


@drive.case
def streamed(service):
    service.queue("One two three.")
    found = model(service).generate_stream([{"role": "user", "content": "Count."}])
    return [piece.content for piece in found]


@drive.case
def agent(service):
    service.queue(*ANSWERS)
    return ToolCallingAgent([weather], model(service), verbosity_level=0).run("Weather in Paris?")


@drive.case
def agent_streamed(service):
    service.queue(*ANSWERS)
    found = ToolCallingAgent([weather], model(service), verbosity_level=0, stream_outputs=True)
    return [type(step).__name__ for step in found.run("Weather in Paris?", stream=True)]


drive.main()
