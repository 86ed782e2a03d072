"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import InlineSkill, InlineSkillSource

__all__ = [
    "InlineSkill",
    "InlineSkillSource",
]
