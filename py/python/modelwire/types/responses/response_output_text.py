"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import ResponseOutputText
from modelwire.types._parts import (
    ResponseOutputTextAnnotation as Annotation,
    ResponseOutputTextAnnotationContainerFileCitation as AnnotationContainerFileCitation,
    ResponseOutputTextAnnotationFileCitation as AnnotationFileCitation,
    ResponseOutputTextAnnotationFilePath as AnnotationFilePath,
    ResponseOutputTextAnnotationURLCitation as AnnotationURLCitation,
    ResponseOutputTextLogprob as Logprob,
    ResponseOutputTextLogprobTopLogprob as LogprobTopLogprob,
)

__all__ = [
    "Annotation",
    "AnnotationContainerFileCitation",
    "AnnotationFileCitation",
    "AnnotationFilePath",
    "AnnotationURLCitation",
    "Logprob",
    "LogprobTopLogprob",
    "ResponseOutputText",
]
