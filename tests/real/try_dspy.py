"""dspy: programs over a chat model, whole, with tools, streamed and asynchronous."""
# needs: dspy==3.4.1 openai==3.57.0

import os
import tempfile

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["DSPY_CACHEDIR"] = tempfile.mkdtemp()

import drive

drive.stand_in()  # litellm, below it, makes the clients

import dspy

from modelwire.testing import error

ANSWER = "[[ ## answer ## ]]\nParis\n\n[[ ## completed ## ]]"


def model(service):
    return dspy.LM(
        "openai/echo",
        api_base=service.base_url,
        api_key=service.api_key,
        cache=False,
        num_retries=0,
    )


@drive.case
def plain(service):
    return model(service)("Say hello.")


@drive.case
def predicted(service):
    service.queue(ANSWER)
    with dspy.context(lm=model(service)):
        return dspy.Predict("question -> answer")(question="Which city?").answer


@drive.case
async def asynchronous(service):
    service.queue(ANSWER)
    with dspy.context(lm=model(service)):
        return (await dspy.Predict("question -> answer").acall(question="Which city?")).answer


@drive.case
async def streamed(service):
    service.queue(ANSWER)
    program = dspy.streamify(
        dspy.Predict("question -> answer"),
        stream_listeners=[dspy.streaming.StreamListener(signature_field_name="answer")],
    )
    with dspy.context(lm=model(service)):
        found = [one async for one in program(question="Which city?")]
    return [type(one).__name__ for one in found]


@drive.case
def tools(service):
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"sunny in {city}"

    service.queue(
        "[[ ## next_thought ## ]]\nAsk.\n\n[[ ## next_tool_name ## ]]\nweather\n\n"
        '[[ ## next_tool_args ## ]]\n{"city": "Paris"}\n\n[[ ## completed ## ]]',
        "[[ ## next_thought ## ]]\nDone.\n\n[[ ## next_tool_name ## ]]\nfinish\n\n"
        "[[ ## next_tool_args ## ]]\n{}\n\n[[ ## completed ## ]]",
        f"[[ ## reasoning ## ]]\nIt is.\n\n{ANSWER}",
    )
    with dspy.context(lm=model(service)):
        return dspy.ReAct("question -> answer", tools=[weather])(question="Which city?").answer


@drive.case
def refused(service):
    service.queue(error(403, "No."))
    try:
        return model(service)("Say it.")
    except Exception as failure:
        return [type(failure).__name__, "No." in str(failure)]


drive.main()
