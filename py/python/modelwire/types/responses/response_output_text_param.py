"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseOutputTextParam,
    ResponseOutputTextParamAnnotation as Annotation,
    ResponseOutputTextParamAnnotationContainerFileCitation as AnnotationContainerFileCitation,
    ResponseOutputTextParamAnnotationFileCitation as AnnotationFileCitation,
    ResponseOutputTextParamAnnotationFilePath as AnnotationFilePath,
    ResponseOutputTextParamAnnotationURLCitation as AnnotationURLCitation,
    ResponseOutputTextParamLogprob as Logprob,
    ResponseOutputTextParamLogprobTopLogprob as LogprobTopLogprob,
)

__all__ = [
    "Annotation",
    "AnnotationContainerFileCitation",
    "AnnotationFileCitation",
    "AnnotationFilePath",
    "AnnotationURLCitation",
    "Logprob",
    "LogprobTopLogprob",
    "ResponseOutputTextParam",
]
