"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ContainerAutoParam,
    ContainerAutoParamNetworkPolicy as NetworkPolicy,
    ContainerAutoParamSkill as Skill,
    ContainerNetworkPolicyAllowlistParam,
    ContainerNetworkPolicyDisabledParam,
    InlineSkillParam,
    SkillReferenceParam,
)

__all__ = [
    "ContainerAutoParam",
    "ContainerNetworkPolicyAllowlistParam",
    "ContainerNetworkPolicyDisabledParam",
    "InlineSkillParam",
    "NetworkPolicy",
    "Skill",
    "SkillReferenceParam",
]
