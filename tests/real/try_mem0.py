"""mem0: its model over a chat, with tools and JSON, and memories, whole and asynchronous."""
# needs: mem0ai==2.2.1

import os
import tempfile

os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = tempfile.mkdtemp()

import drive

drive.stand_in()  # it makes its own client

from mem0 import AsyncMemory, Memory
from mem0.configs.llms.openai import OpenAIConfig
from mem0.embeddings.base import EmbeddingBase
from mem0.llms.openai import OpenAILLM
from mem0.llms.openai_structured import OpenAIStructuredLLM
from mem0.utils.factory import EmbedderFactory
from pydantic import BaseModel

from modelwire.testing import error, text

FACTS = '{"memory": [{"id": "0", "text": "Likes tea", "attributed_to": "user"}]}'


class City(BaseModel):
    """A city."""

    name: str


class Embedding(EmbeddingBase):
    """Embeddings without a service: modelwire has no such operation."""

    def embed(self, text, memory_action=None):
        return [float(len(text) % 7), 1.0, 2.0]


EmbedderFactory.provider_to_class["mock"] = "try_mem0.Embedding"


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


@drive.case
def parsed(service):
    """Its other model, which parses."""
    service.queue('{"name": "Paris"}')
    given = {"api_key": service.api_key, "openai_base_url": service.base_url}
    found = OpenAIStructuredLLM(OpenAIConfig(model="echo", **given))
    return found.generate_response(ASK, response_format=City)


drive.main()
