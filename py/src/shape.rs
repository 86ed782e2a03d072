//! The classes of what an answer consists of, their fields, and what stands in those fields. A
//! table, read by `object`; knows no JSON. A field of the table that the service did not send
//! reads as `None`; one that is not in the table is reachable all the same.

use modelwire::Value;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::object::Object;

/// What an object is called, and the fields that are always there.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [(&'static str, Child)],
    /// Makes the Python object of this class.
    pub(crate) make: fn(Python<'_>, Object) -> PyResult<Py<PyAny>>,
}

/// What the objects in a field, or in the list of a field, are.
#[derive(Clone, Copy)]
pub(crate) enum Child {
    /// Nobody here knows.
    Any,
    /// Data of the caller, which stays dicts and lists.
    Plain,
    /// Of this shape.
    Of(&'static Shape),
    /// Of the shape that the object's own `type` names, or else of the last one.
    ByType(&'static [(&'static str, &'static Shape)], &'static Shape),
}

impl Shape {
    /// What stands in a field, where the field is known.
    pub(crate) fn field(&self, name: &str) -> Option<Child> {
        let found = self.fields.iter().find(|(field, _)| *field == name);
        found.map(|(_, child)| *child)
    }
}

fn make_plain(py: Python<'_>, object: Object) -> PyResult<Py<PyAny>> {
    Py::new(py, object).map(Py::into_any)
}

/// An object that nobody here knows.
pub(crate) static OBJECT: Shape = Shape { name: "Object", fields: &[], make: make_plain };

/// What the list of models came as; Python programs see `ModelList`.
pub(crate) static MODEL_LIST: Shape = Shape {
    name: "ModelList",
    fields: &[("data", Child::Of(&MODEL)), ("object", Child::Any)],
    make: make_plain,
};

/// The name of a field without the mark of a raw identifier.
const fn name(written: &'static str) -> &'static str {
    match written.as_bytes() {
        [b'r', b'#', ..] => written.split_at(2).1,
        _ => written,
    }
}

/// pydantic's `model_fields`, as far as programs look at its names.
pub(crate) fn field_names<'py>(py: Python<'py>, shape: &Shape) -> PyResult<Bound<'py, PyDict>> {
    let names = PyDict::new(py);
    for (name, _) in shape.fields {
        names.set_item(name, py.None())?;
    }
    Ok(names)
}

macro_rules! child {
    () => {
        Child::Any
    };
    (plain) => {
        Child::Plain
    };
    (by $union:ident) => {
        $union
    };
    ($shape:ident) => {
        Child::Of(&$shape)
    };
}

/// One class a shape: a getter for each field, and a constructor for programs that make answers
/// up, for their tests mostly.
macro_rules! shapes {
    ($(
        $(#[$doc:meta])*
        $class:ident = $shape:ident in $module:literal {
            $($field:ident $(($($child:tt)+))?),* $(,)?
        } $({ $($own:tt)* })?
    )*) => {
        $(
            pub(crate) static $shape: Shape = Shape {
                name: stringify!($class),
                fields: &[$((name(stringify!($field)), child!($($($child)+)?))),*],
                make: |py, object| {
                    let made = PyClassInitializer::from(object).add_subclass($class);
                    Py::new(py, made).map(Py::into_any)
                },
            };

            $(#[$doc])*
            #[pyclass(frozen, subclass, extends = Object, module = $module)]
            pub(crate) struct $class;

            #[pymethods]
            impl $class {
                #[new]
                #[pyo3(signature = (**fields))]
                fn new(fields: Option<&Bound<'_, PyDict>>) -> PyResult<PyClassInitializer<Self>> {
                    let object = Object::made_up(fields, &$shape)?;
                    Ok(PyClassInitializer::from(object).add_subclass($class))
                }

                /// The names of the fields that are always there.
                #[classattr]
                fn model_fields(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
                    field_names(py, &$shape)
                }

                $(
                    #[doc = concat!("The field `", stringify!($field), "`; None where it is absent.")]
                    #[getter]
                    fn $field(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                        slf.as_super().get().known(slf.py(), name(stringify!($field)))
                    }
                )*

                $($($own)*)?
            }
        )*

        /// The shape of the class of this name.
        pub(crate) fn by_name(wanted: &str) -> &'static Shape {
            let all: &[&Shape] = &[$(&$shape),*];
            let more: &[&Shape] = &[&MODEL_LIST, &CHUNK, &CHUNK_CHOICE, &DELTA, &RESPONSE_EVENT];
            let mut found = all.iter().chain(more).filter(|shape| shape.name == wanted);
            found.next().copied().unwrap_or(&OBJECT)
        }

        /// Adds the classes to the module.
        pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_class::<$class>()?;)*
            Ok(())
        }
    };
}

/// The items of a response's output.
const OUTPUT_ITEM: Child = Child::ByType(
    &[
        ("message", &OUTPUT_MESSAGE),
        ("function_call", &FUNCTION_TOOL_CALL),
        ("reasoning", &REASONING_ITEM),
    ],
    &OUTPUT_OTHER,
);

/// The tool calls of a message.
const ANY_TOOL_CALL: Child = Child::ByType(&[("custom", &CUSTOM_TOOL_CALL)], &TOOL_CALL);

/// The parts of a message's content.
const CONTENT_PART: Child =
    Child::ByType(&[("output_text", &OUTPUT_TEXT), ("refusal", &OUTPUT_REFUSAL)], &CONTENT_OTHER);

shapes! {
    /// A model that the service offers.
    Model = MODEL in "modelwire.types" {
        id, created, object, owned_by, shutdown_date,
    }

    /// The tokens that a chat completion used.
    CompletionUsage = USAGE in "modelwire.types" {
        completion_tokens, prompt_tokens, total_tokens,
        completion_tokens_details(COMPLETION_TOKENS_DETAILS),
        prompt_tokens_details(PROMPT_TOKENS_DETAILS),
    }

    /// What the tokens of a completion were.
    CompletionTokensDetails = COMPLETION_TOKENS_DETAILS in "modelwire.types" {
        accepted_prediction_tokens, audio_tokens, reasoning_tokens, rejected_prediction_tokens,
        text_tokens,
    }

    /// What the tokens of a prompt were.
    PromptTokensDetails = PROMPT_TOKENS_DETAILS in "modelwire.types" {
        audio_tokens, cache_write_tokens, cached_tokens, image_tokens, text_tokens,
    }

    /// A chat completion, answered whole.
    ChatCompletion = CHAT_COMPLETION in "modelwire.types.chat" {
        id, choices(CHOICE), created, metadata(plain), model, moderation, object,
        service_tier, system_fingerprint, usage(USAGE),
    }

    /// One of the choices of a chat completion.
    Choice = CHOICE in "modelwire.types.chat" {
        finish_reason, index, logprobs(LOGPROBS), message(MESSAGE),
    }

    /// What the model said.
    ChatCompletionMessage = MESSAGE in "modelwire.types.chat" {
        content, refusal, role, annotations(ANNOTATION), audio(AUDIO), function_call(FUNCTION),
        tool_calls(by ANY_TOOL_CALL),
    } {
        /// None: nothing is parsed here; for programs that look.
        #[getter]
        fn parsed(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
            slf.as_super().get().added(slf.py(), "parsed")
        }
    }

    /// A function that the model calls.
    ChatCompletionMessageToolCall = TOOL_CALL in "modelwire.types.chat" {
        id, function(FUNCTION), r#type
    }

    /// A custom tool that the model calls.
    ChatCompletionMessageCustomToolCall = CUSTOM_TOOL_CALL in "modelwire.types.chat" {
        id, custom(CUSTOM), r#type,
    }

    /// The name of a function, and its arguments as JSON text.
    Function = FUNCTION in "modelwire.types.chat" { arguments, name } {
        /// None: nothing is parsed here; for programs that look.
        #[getter]
        fn parsed_arguments(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
            slf.as_super().get().added(slf.py(), "parsed_arguments")
        }
    }

    /// The name of a custom tool, and its input.
    Custom = CUSTOM in "modelwire.types.chat" { input, name }

    /// A place that the message refers to.
    Annotation = ANNOTATION in "modelwire.types.chat" { r#type, url_citation(URL_CITATION) }

    /// The URL of an annotation, and where in the message it belongs.
    AnnotationURLCitation = URL_CITATION in "modelwire.types.chat" {
        end_index, start_index, title, url,
    }

    /// A spoken answer.
    ChatCompletionAudio = AUDIO in "modelwire.types.chat" { id, data, expires_at, transcript }

    /// The probabilities of the tokens of a choice.
    ChoiceLogprobs = LOGPROBS in "modelwire.types.chat" {
        content(TOKEN_LOGPROB), refusal(TOKEN_LOGPROB),
    }

    /// The probability of a token.
    ChatCompletionTokenLogprob = TOKEN_LOGPROB in "modelwire.types.chat" {
        token, bytes, logprob, top_logprobs(TOP_LOGPROB),
    }

    /// The probability of a token that might have stood there.
    TopLogprob = TOP_LOGPROB in "modelwire.types.chat" { token, bytes, logprob }

    /// A piece of a tool call.
    ChoiceDeltaToolCall = DELTA_TOOL_CALL in "modelwire.types.chat" {
        index, id, function(DELTA_FUNCTION), r#type,
    }

    /// A piece of a function's name and arguments.
    ChoiceDeltaToolCallFunction = DELTA_FUNCTION in "modelwire.types.chat" { arguments, name }

    /// A response.
    Response = RESPONSE in "modelwire.types.responses" {
        id, created_at, error(RESPONSE_ERROR), incomplete_details(INCOMPLETE_DETAILS),
        instructions, metadata(plain), model, object, output(by OUTPUT_ITEM), parallel_tool_calls,
        temperature, tool_choice, tools, top_p, background, completed_at, conversation,
        max_output_tokens, max_tool_calls, previous_response_id, prompt, prompt_cache_key,
        prompt_cache_retention, reasoning, safety_identifier, service_tier, status, text,
        top_logprobs, truncation, usage(RESPONSE_USAGE), user, access_programs, image,
        input_transformations, moderation, prompt_cache_diagnostics, prompt_cache_options,
        tool_usage,
    } {
        /// None: nothing is parsed here; for programs that look.
        #[getter]
        fn output_parsed(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
            slf.as_super().get().added(slf.py(), "output_parsed")
        }

        /// All output text; empty where there is none.
        #[getter]
        fn output_text(slf: &Bound<'_, Self>) -> PyResult<String> {
            let text = slf.as_super().get().current(slf.py())?;
            Ok(modelwire::output_text(Value::validated(&text)))
        }
    }

    /// Why a response failed.
    ResponseError = RESPONSE_ERROR in "modelwire.types.responses" {
        code, message, misalignment, param, r#type,
    }

    /// Why a response is incomplete.
    IncompleteDetails = INCOMPLETE_DETAILS in "modelwire.types.responses" { reason }

    /// The tokens that a response used.
    ResponseUsage = RESPONSE_USAGE in "modelwire.types.responses" {
        input_tokens, input_tokens_details(INPUT_TOKENS_DETAILS), output_tokens,
        output_tokens_details(OUTPUT_TOKENS_DETAILS), total_tokens,
    }

    /// What the tokens of the input were.
    InputTokensDetails = INPUT_TOKENS_DETAILS in "modelwire.types.responses" {
        cache_write_tokens, cache_write_tokens_details, cached_tokens,
    }

    /// What the tokens of the output were.
    OutputTokensDetails = OUTPUT_TOKENS_DETAILS in "modelwire.types.responses" { reasoning_tokens }

    /// A message of a response's output.
    ResponseOutputMessage = OUTPUT_MESSAGE in "modelwire.types.responses" {
        id, content(by CONTENT_PART), role, status, r#type, phase,
    }

    /// A function that the response calls.
    ResponseFunctionToolCall = FUNCTION_TOOL_CALL in "modelwire.types.responses" {
        arguments, call_id, name, r#type, id, status, caller, namespace,
    } {
        /// None: nothing is parsed here; for programs that look.
        #[getter]
        fn parsed_arguments(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
            slf.as_super().get().added(slf.py(), "parsed_arguments")
        }
    }

    /// What the model thought.
    ResponseReasoningItem = REASONING_ITEM in "modelwire.types.responses" {
        id, summary(CONTENT_OTHER), r#type, content(CONTENT_OTHER), encrypted_content, status,
    }

    /// An item of a response's output of any other type. The classes of single types are special
    /// cases of it.
    ResponseOutputItem = OUTPUT_OTHER in "modelwire.types.responses" { id, r#type, status }

    /// Text of a message.
    ResponseOutputText = OUTPUT_TEXT in "modelwire.types.responses" {
        annotations, text, r#type, logprobs,
    } {
        /// None: nothing is parsed here; for programs that look.
        #[getter]
        fn parsed(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
            slf.as_super().get().added(slf.py(), "parsed")
        }
    }

    /// A refusal of a message.
    ResponseOutputRefusal = OUTPUT_REFUSAL in "modelwire.types.responses" { refusal, r#type }

    /// A part of a message of any other type.
    ResponseContentPart = CONTENT_OTHER in "modelwire.types.responses" { r#type, text }
}

macro_rules! fields {
    ($shape:ident = $name:literal { $($field:ident $(($($child:tt)+))?),* $(,)? }) => {
        pub(crate) static $shape: Shape = Shape {
            name: $name,
            fields: &[$((name(stringify!($field)), child!($($($child)+)?))),*],
            make: make_plain,
        };
    };
}

// The hot classes, which `object` has by hand.

fields! { CHUNK = "ChatCompletionChunk" {
    id, choices(CHUNK_CHOICE), created, model, moderation, object, obfuscation, service_tier, system_fingerprint,
    usage(USAGE),
} }

fields! { CHUNK_CHOICE = "ChunkChoice" { delta(DELTA), finish_reason, index, logprobs(LOGPROBS) } }

fields! { DELTA = "ChoiceDelta" {
    audio, content, function_call(DELTA_FUNCTION), refusal, role, tool_calls(DELTA_TOOL_CALL),
} }

fields! { RESPONSE_EVENT = "ResponseStreamEvent" {
    r#type, sequence_number, response(RESPONSE), item(by OUTPUT_ITEM), part(by CONTENT_PART),
    delta, text, arguments, refusal, name, annotation, logprobs, output_index, content_index,
    summary_index, item_id, code, message, param,
} }
