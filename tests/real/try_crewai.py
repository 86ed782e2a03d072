"""crewai: its model whole, streamed, with a tool and asynchronous, and an agent."""
# needs: crewai==1.15.30

import os
import tempfile

os.environ["CREWAI_DISABLE_TELEMETRY"] = os.environ["OTEL_SDK_DISABLED"] = "true"
os.environ["CREWAI_TRACING_ENABLED"] = "false"
os.environ["HOME"] = tempfile.mkdtemp()  # it writes there

import drive

drive.stand_in()  # it makes its own clients

from crewai import LLM, Agent

from modelwire.testing import error, text

TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


def weather(city):
    return f"sunny in {city}"


def model(service, **options):
    given = {"base_url": service.base_url, "api_key": service.api_key}
    return LLM(model="openai/echo", **given, **options)


@drive.case
def plain(service):
    return model(service).call("Say hello.")


@drive.case
def streamed(service):
    return model(service, stream=True).call("One two three.")


@drive.case
def response(service):
    return model(service, api="responses").call("Say hello.")


@drive.case
def tools(service):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]))
    found = model(service).call(
        "Weather in Paris?", tools=[TOOL], available_functions={"weather": weather}
    )
    return str(found)


@drive.case
async def asynchronous(service):
    return await model(service).acall("Say hello.")


@drive.case
def agent(service):
    service.queue("Thought: I know.\nFinal Answer: Paris")
    found = Agent(role="R", goal="G", backstory="B", llm=model(service), verbose=False)
    return found.kickoff("Which city?").raw


@drive.case
def refused(service):
    service.queue(error(403, "No."))
    try:
        return model(service).call("Say it.")
    except Exception as failure:
        return "No." in str(failure)


drive.main()
