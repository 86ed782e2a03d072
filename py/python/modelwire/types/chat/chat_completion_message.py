"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire._native import (
        Annotation, AnnotationURLCitation, ChatCompletionMessage, Function as FunctionCall
    )
else:
    _openai_paths.fill(__name__, globals())

__all__ = ["Annotation", "AnnotationURLCitation", "ChatCompletionMessage", "FunctionCall"]
