"""Runs Python programs as processes of their own."""

import os
import subprocess
import sys
import textwrap

DEADLINE = 120.0  # a fork that hangs, hangs for ever

# What programs begin with.
PRELUDE = """
import gc, os, signal, sys, threading, time
import modelwire

MESSAGES = [{"role": "user", "content": "x"}]

def ask(client, **fields):
    return client.chat.completions.create(**{"model": "echo", "messages": MESSAGES, **fields})

def in_child(work):
    # Reports whether the child did it within a minute; one that hangs is killed.
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            sys.stdout.flush()
            os._exit(code)
    for _ in range(6000):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        # clock: between two looks
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False
"""


def environment(base_url=None):
    """A child's environment: the settings of the library and nothing else that it reads."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    settings = {"MODELWIRE_BASE_URL": base_url, "MODELWIRE_API_KEY": "sk-test"} if base_url else {}
    return {**kept, **settings, "PYTHONFAULTHANDLER": "1"}


# Python 3.12 and later warn of every fork beside threads, of which the library has some.
FLAGS = ["-W", "ignore:This process:DeprecationWarning"]


def command(source, *flags, before=""):
    return [sys.executable, *FLAGS, *flags, "-c", before + PRELUDE + textwrap.dedent(source)]


def finished(command, **options):
    """Runs a command to its end, which must be a good one."""
    options = {"capture_output": True, "text": True, "timeout": DEADLINE, **options}
    done = subprocess.run(command, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def run(source, base_url=None, *flags, before=""):
    """Runs a program to its end; returns its output. It must end well and complain of nothing.
    What stands `before` comes before the import of the package."""
    done = finished(command(source, *flags, before=before), env=environment(base_url))
    assert done.stderr == "", done
    return done.stdout


def start(source, base_url, before=""):
    """Starts a program; it is talked to through its stdin and stdout."""
    return subprocess.Popen(
        command(source, before=before),
        env=environment(base_url),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
