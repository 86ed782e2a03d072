"""The fixtures that openai-python's own tests ask for, with the client that is tried and a scripted
service. Not a conftest of this folder: it is copied to theirs.
"""

import pytest
from openai import AsyncOpenAI, OpenAI
from pytest_asyncio import is_async_test

from modelwire.testing import Service, document

MESSAGE = {"role": "assistant", "content": "string", "refusal": None}
CHOICE = {"index": 0, "finish_reason": "stop", "logprobs": None, "message": MESSAGE}
PART = {"type": "output_text", "text": "string", "annotations": []}
ITEM = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [PART]}
ANSWERS = {
    "completions": {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [CHOICE],
    },
    "responses": {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": "m",
        "output": [ITEM],
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
    },
}


def pytest_collection_modifyitems(items):
    for item in items:
        if is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def service():
    with Service() as service:
        yield service


@pytest.fixture(autouse=True)
def scripted(request, service):
    for name, answer in ANSWERS.items():
        if f"test_{name}" in request.node.nodeid:
            service.set_default(document(answer))


@pytest.fixture(scope="session")
def client(service):
    with OpenAI(base_url=service.base_url, api_key=service.api_key) as client:
        yield client


@pytest.fixture(scope="session")
async def async_client(service):
    async with AsyncOpenAI(base_url=service.base_url, api_key=service.api_key) as client:
        yield client
