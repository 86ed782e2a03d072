"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire._native import ResponseOutputText
    from modelwire.types._parts import (
        ResponseOutputTextAnnotation as Annotation,
        ResponseOutputTextAnnotationContainerFileCitation as AnnotationContainerFileCitation,
        ResponseOutputTextAnnotationFileCitation as AnnotationFileCitation,
        ResponseOutputTextAnnotationFilePath as AnnotationFilePath,
        ResponseOutputTextAnnotationURLCitation as AnnotationURLCitation,
        ResponseOutputTextLogprob as Logprob,
        ResponseOutputTextLogprobTopLogprob as LogprobTopLogprob
    )
else:
    _openai_paths.fill(__name__, globals())

__all__ = [
    "Annotation", "AnnotationContainerFileCitation", "AnnotationFileCitation", "AnnotationFilePath",
    "AnnotationURLCitation", "Logprob", "LogprobTopLogprob", "ResponseOutputText"
]
