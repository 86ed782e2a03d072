"""mem0: its model over a chat, with tools and JSON."""
# needs: mem0ai==2.2.1

import os
import tempfile

os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = tempfile.mkdtemp()

import drive

drive.stand_in()  # it makes its own client

from mem0.configs.llms.openai import OpenAIConfig
from mem0.llms.openai import OpenAILLM

from modelwire.testing import text

ASK = [{"role": "user", "content": "Say hello."}]


def model(service):
    return OpenAILLM(
        OpenAIConfig(model="echo", api_key=service.api_key, openai_base_url=service.base_url)
    )


@drive.case
def plain(service):
    return model(service).generate_response(ASK)


@drive.case
def structured(service):
    service.queue('{"name": "Paris"}')
    return model(service).generate_response(ASK, response_format={"type": "json_object"})


@drive.case
def tools(service):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]))
    one = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
    return model(service).generate_response(ASK, tools=[one])


drive.main()
