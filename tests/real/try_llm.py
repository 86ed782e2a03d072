"""llm (the command line tool): a prompt, streamed and whole, with a schema, through its OpenAI
models."""
# needs: llm==0.36

import drive

drive.stand_in()

from llm.default_plugins import openai_models

from modelwire.testing import text


def model(service):
    found = openai_models.Chat("echo", model_name="echo", api_base=service.base_url)
    found.key = service.api_key
    return found


@drive.case
def whole(service):
    return model(service).prompt("One two.", stream=False, key=service.api_key).text()


@drive.case
def streamed(service):
    return list(model(service).prompt("One two.", key=service.api_key))


@drive.case
def usage(service):
    answer = model(service).prompt("One two.", key=service.api_key)
    answer.text()
    usage = answer.usage()
    return [usage.input, usage.output]


@drive.case
def tool(service):
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"sunny in {city}"

    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "Sunny.")
    found = model(service)
    found.supports_tools = True
    return found.chain("Weather?", tools=[weather], key=service.api_key).text()


@drive.case
async def asynchronous(service):
    found = openai_models.AsyncChat("echo", model_name="echo", api_base=service.base_url)
    return await found.prompt("One two.", key=service.api_key)


@drive.case
def conversation(service):
    talk = model(service).conversation()
    return [talk.prompt(word, key=service.api_key).text() for word in ("One.", "Two.")]


drive.main()
