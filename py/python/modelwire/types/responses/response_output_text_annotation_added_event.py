"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ResponseOutputTextAnnotationAddedEvent,
    ResponseOutputTextAnnotationAddedEventAnnotation as Annotation,
    ResponseOutputTextAnnotationContainerFileCitation as AnnotationContainerFileCitation,
    ResponseOutputTextAnnotationFileCitation as AnnotationFileCitation,
    ResponseOutputTextAnnotationFilePath as AnnotationFilePath,
    ResponseOutputTextAnnotationURLCitation as AnnotationURLCitation,
)

__all__ = [
    "Annotation",
    "AnnotationContainerFileCitation",
    "AnnotationFileCitation",
    "AnnotationFilePath",
    "AnnotationURLCitation",
    "ResponseOutputTextAnnotationAddedEvent",
]
