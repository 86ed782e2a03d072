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


EmbedderFactory.provider_to_class["fastembed"] = "__main__.Embedding"


def memories(service):
    """What its manual gives to a memory: a model, embeddings and a store."""
    given = {"model": "echo", "api_key": service.api_key, "openai_base_url": service.base_url}
    folder = tempfile.mkdtemp()
    store = {"path": folder, "embedding_model_dims": 3, "collection_name": "some"}
    return {
        "llm": {"provider": "openai", "config": given},
        "embedder": {"provider": "fastembed", "config": {}},
        "vector_store": {"provider": "qdrant", "config": store},
        "history_db_path": os.path.join(folder, "history.db"),
    }


def told(found):
    return [one["memory"] for one in found["results"]]


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


@drive.case
def memory(service):
    service.queue(FACTS)
    found = Memory.from_config(memories(service))
    added = found.add("I like tea.", user_id="a")
    return [told(added), told(found.search("What do I like?", filters={"user_id": "a"}))]


@drive.case
async def memory_async(service):
    service.queue(FACTS)
    found = AsyncMemory.from_config(memories(service))
    added = await found.add("I like tea.", user_id="a")
    listed = await found.search("What do I like?", filters={"user_id": "a"})
    return [told(added), told(listed)]


@drive.case
def refused(service):
    service.queue(error(403, "No."))
    try:
        return Memory.from_config(memories(service)).add("I like tea.", user_id="a")
    except Exception as failure:
        return [type(failure).__name__, "No." in str(failure)]


drive.main()
