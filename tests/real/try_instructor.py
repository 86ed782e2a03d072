"""instructor: answers as pydantic objects, in its modes; patched, sync, async, streamed."""
# needs: instructor==1.17.0

import drive

drive.stand_in()  # instructor.from_openai asks isinstance(client, openai.OpenAI)

import instructor
from pydantic import BaseModel

from modelwire.testing import text

ASK = {"model": "echo", "messages": [{"role": "user", "content": "Ann is 3."}]}


class User(BaseModel):
    """A person."""

    name: str
    age: int


def called(**arguments):
    return text("", tool_calls=[("User", arguments)])


ANN = {"name": "Ann", "age": 3}


@drive.case
def patched(service):
    service.queue(called(**ANN))
    client = instructor.patch(drive.client(service))
    return client.chat.completions.create(response_model=User, **ASK).model_dump()


@drive.case
def tools(service):
    service.queue(called(**ANN))
    client = instructor.from_openai(drive.client(service))
    return client.chat.completions.create(response_model=User, **ASK).model_dump()


@drive.case
def asked_again_after_a_wrong_answer(service):
    service.queue(called(name="Ann", age="old"), called(**ANN))
    client = instructor.from_openai(drive.client(service))
    return client.chat.completions.create(response_model=User, **ASK).model_dump()


@drive.case
def with_completion(service):
    service.queue(called(**ANN))
    client = instructor.from_openai(drive.client(service))
    user, completion = client.chat.completions.create_with_completion(response_model=User, **ASK)
    return [user.model_dump(), completion.usage.total_tokens, completion.choices[0].finish_reason]


@drive.case
def partial(service):
    service.queue(called(**ANN))
    client = instructor.from_openai(drive.client(service))
    found = client.chat.completions.create_partial(response_model=User, **ASK)
    return [user.model_dump() for user in found]


@drive.case
def iterable(service):
    service.queue(text("", tool_calls=[("IterableUser", {"tasks": [ANN, ANN]})]))
    client = instructor.from_openai(drive.client(service))
    found = client.chat.completions.create_iterable(response_model=User, **ASK)
    return [user.model_dump() for user in found]


def mode(name, answer):
    def run(service):
        service.queue(answer, answer)
        client = instructor.from_openai(drive.client(service), mode=getattr(instructor.Mode, name))
        whole = client.chat.completions.create(response_model=User, **ASK).model_dump()
        found = client.chat.completions.create_partial(response_model=User, **ASK)
        return [whole, [user.model_dump() for user in found]]

    run.__name__ = f"mode_{name.lower()}"
    drive.case(run)


mode("JSON", '{"name": "Ann", "age": 3}')
mode("JSON_SCHEMA", '{"name": "Ann", "age": 3}')
mode("MD_JSON", '```json\n{"name": "Ann", "age": 3}\n```')
mode("TOOLS_STRICT", called(**ANN))
mode("RESPONSES_TOOLS", called(**ANN))


@drive.case
async def asynchronous(service):
    service.queue(called(**ANN), called(name="Ann", age="old"), called(**ANN), called(**ANN))
    client = instructor.from_openai(drive.async_client(service))
    create = client.chat.completions.create
    users = [await create(response_model=User, **ASK), await create(response_model=User, **ASK)]
    found = client.chat.completions.create_partial(response_model=User, **ASK)
    return [user.model_dump() for user in users] + [user.model_dump() async for user in found]


@drive.case
def refused(service):
    service.queue(401)
    client = instructor.from_openai(drive.client(service))
    try:
        client.chat.completions.create(response_model=User, **ASK)
    except Exception as error:
        causes = [type(error).__name__]
        while error := error.__cause__ or error.__context__:
            causes.append(type(error).__name__)
        return "AuthenticationError" in causes
    return "not refused"


drive.main()
