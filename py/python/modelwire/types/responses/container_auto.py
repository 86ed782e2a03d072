"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ContainerAuto,
    ContainerAutoNetworkPolicy as NetworkPolicy,
    ContainerAutoSkill as Skill,
    ContainerNetworkPolicyAllowlist,
    ContainerNetworkPolicyDisabled,
    InlineSkill,
    SkillReference,
)

__all__ = [
    "ContainerAuto",
    "ContainerNetworkPolicyAllowlist",
    "ContainerNetworkPolicyDisabled",
    "InlineSkill",
    "NetworkPolicy",
    "Skill",
    "SkillReference",
]
