"""guidance: a chat of roles with generated text."""
# needs: guidance==0.3.1 openai==3.57.0

import drive

drive.stand_in()  # its model makes its own client

import guidance
from guidance import assistant, gen, system, user


def model(service):
    return guidance.models.OpenAI(
        "echo", echo=False, api_key=service.api_key, base_url=service.base_url
    )


@drive.case
def plain(service):
    found = model(service)
    with system():
        found += "Be brief."
    with user():
        found += "One two."
    with assistant():
        found += gen("answer", max_tokens=20)
    return found["answer"]


@drive.case
def second_turn(service):
    found = model(service)
    for number in range(2):
        with user():
            found += f"One {number}."
        with assistant():
            found += gen(f"answer{number}")
    return [found["answer0"], found["answer1"]]


drive.main()
