"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.lib.streaming import chat as chat
from modelwire.lib.streaming import responses as responses
