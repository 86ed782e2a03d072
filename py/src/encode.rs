//! Encodes Python values as JSON, like `json.dumps` in compact form; our own objects are written as they
//! were received.

use std::fmt::Write;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString,
    PyTuple, PyType,
};

use crate::depth::deeper;
use crate::kept::{Kept, intern};
use crate::modules;
use crate::run::{Run, import, let_go};

/// The JSON of one of our objects; None for anything else.
pub(crate) type JsonOf = fn(&Bound<'_, PyAny>) -> PyResult<Option<String>>;

/// Appends the JSON of a value.
pub(crate) fn write(value: &Bound<'_, PyAny>, out: &mut String, json_of: JsonOf) -> PyResult<()> {
    Writer { out, json_of, infinities: false }.write_at(value)
}

/// Like [`write`], for a dict that nothing else refers to, so that nothing changes it meanwhile.
pub(crate) fn write_own(
    dict: &Bound<'_, PyDict>,
    out: &mut String,
    json_of: JsonOf,
) -> PyResult<()> {
    Writer { out, json_of, infinities: false }.write_dict(dict.iter())
}

/// Like [`write`], for display: a number beyond the range of floats is null, as in pydantic's dumps.
pub(crate) fn write_dump(
    value: &Bound<'_, PyAny>,
    out: &mut String,
    json_of: JsonOf,
) -> PyResult<()> {
    Writer { out, json_of, infinities: true }.write_at(value)
}

/// One line of JSON on several lines, each level indented by `spaces` more.
pub(crate) fn indented(text: &str, spaces: usize) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0, false, false);
    let mut last = ' ';
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', depth * spaces));
    };
    for character in text.chars() {
        if in_string {
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
            out.push(character);
        } else {
            match character {
                '{' | '[' => depth += 1,
                '}' | ']' => depth -= usize::from(depth > 0),
                '"' => in_string = true,
                _ => {}
            }
            let opens = matches!(last, '{' | '[');
            let closes = matches!(character, '}' | ']');
            if opens != closes || last == ',' {
                line(&mut out, depth - usize::from(matches!(character, '{' | '[')));
            }
            out.push(character);
            if character == ':' {
                out.push(' ');
            }
        }
        last = character;
    }
    out
}

struct Writer<'a> {
    out: &'a mut String,
    json_of: JsonOf,
    /// Whether infinities are written as null.
    infinities: bool,
}

impl Writer<'_> {
    fn write_at(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let _deeper = deeper()?;
        if let Ok(text) = value.cast::<PyString>() {
            return write_str(text, self.out);
        }
        if value.is_none() {
            self.out.push_str("null");
        } else if let Ok(boolean) = value.cast::<PyBool>() {
            self.out.push_str(if boolean.is_true() { "true" } else { "false" });
        } else if value.is_instance_of::<PyInt>() {
            // Uses the text of int, so that any size is exact and an IntEnum is its number.
            let digits = value.py().get_type::<PyInt>().run_method("__repr__", (value,))?;
            self.out.push_str(&digits.cast::<PyString>()?.to_cow()?);
        } else if let Ok(float) = value.cast::<PyFloat>() {
            match float.value().is_finite() || !self.infinities {
                true => write_float(float, self.out)?,
                false => self.out.push_str("null"),
            }
        } else if let Ok(dict) = value.cast::<PyDict>() {
            self.write_dict(pairs(dict)?.into_iter())?;
        } else if let Ok(list) = value.cast::<PyList>() {
            self.write_items(list.iter().map(Ok))?;
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            self.write_items(tuple.iter().map(Ok))?;
        } else if let Some(text) = (self.json_of)(value)? {
            self.out.push_str(&text);
        } else {
            self.write_other(value)?;
        }
        Ok(())
    }

    /// Writes a value that is not JSON, but can be converted.
    fn write_other(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = value.py();
        let is_class = value.is_instance_of::<PyType>();
        if !is_class && value.has_attribute(intern!(py, "model_dump"))? {
            // A pydantic model: the fields that were set, under their JSON names.
            let options = PyDict::new(py);
            options.set_item("exclude_unset", true)?;
            options.set_item("by_alias", true)?;
            options.set_item("mode", "json")?;
            let plain = value.run_method_with(intern!(py, "model_dump"), (), Some(&options))?;
            return self.write_at(&plain);
        }
        if !is_class
            && let Some(fields) = value.attribute_if_any(intern!(py, "__dataclass_fields__"))?
        {
            let plain = PyDict::new(py);
            for name in fields.cast::<PyDict>()?.keys() {
                plain.set_item(&name, value.attribute(name.cast::<PyString>()?)?)?;
            }
            return self.write_at(&plain);
        }
        if !is_class && value.has_attribute(intern!(py, "__struct_fields__"))? {
            // A msgspec Struct, so msgspec is imported.
            let plain = import(py, "msgspec")?.run_method("to_builtins", (value,))?;
            return self.write_at(&plain);
        }
        if !is_class && let Some(pairs) = pairs_of(value)? {
            return self.write_dict(pairs.into_iter());
        }
        if !is_class && is_sequence(value)? {
            return self.write_items(value.items_one_by_one()?);
        }
        if !is_class && value.has_attribute(intern!(py, "isoformat"))? {
            return self.write_at(&value.run_method(intern!(py, "isoformat"), ())?);
        }
        let name = value.get_type().name()?;
        let hint = if is_class {
            "; a class is not a value: pass its JSON schema as a dict"
        } else {
            "; use dict, list, str, numbers, bool or None"
        };
        Err(PyTypeError::new_err(format!("a value of type {name} cannot be written as JSON{hint}")))
    }

    fn write_dict<'py>(
        &mut self,
        pairs: impl Iterator<Item = (Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    ) -> PyResult<()> {
        let mut is_first = true;
        self.out.push('{');
        for (key, value) in pairs {
            if !is_plain(&value) && is_left_out(&value)? {
                continue;
            }
            if !is_first {
                self.out.push(',');
            }
            is_first = false;
            if let Ok(key) = key.cast::<PyString>() {
                write_str(key, self.out)?;
            } else if key.is_none() || key.is_instance_of::<PyInt>() {
                // As json.dumps does, a bool included, which is an int.
                self.out.push('"');
                self.write_at(&key)?;
                self.out.push('"');
            } else {
                let name = key.get_type().name()?;
                let known = "keys must be str, int, bool or None";
                return Err(PyTypeError::new_err(format!("{known}, not {name}")));
            }
            self.out.push(':');
            self.write_at(&value)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn write_items<'py>(
        &mut self,
        items: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
    ) -> PyResult<()> {
        self.out.push('[');
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            let item = item?;
            self.write_at(&item)?;
            let_go(item); // an item of a generator may have no other reference
        }
        self.out.push(']');
        Ok(())
    }
}

type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The current items of a dict: code that runs meanwhile may change it.
pub(crate) fn pairs<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Vec<Pair<'py>>> {
    dict.items().iter().map(|pair| pair.extract()).collect()
}

/// The items of a mapping that is not a dict.
fn pairs_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Pair<'py>>>> {
    let py = value.py();
    if !value.has_attribute(intern!(py, "keys"))?
        || !value.has_attribute(intern!(py, "__getitem__"))?
    {
        return Ok(None);
    }
    let keys = value.run_method(intern!(py, "keys"), ())?.items_one_by_one()?;
    keys.map(|key| key.and_then(|key| Ok((key.clone(), value.item(&key)?))))
        .collect::<PyResult<_>>()
        .map(Some)
}

/// Whether a value is written as an array: an iterable with an order, such as a generator, a deque or the
/// values of a dict.
fn is_sequence(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_other = value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PySet>()
        || value.is_instance_of::<PyFrozenSet>();
    Ok(!is_other && value.has_attribute(intern!(value.py(), "__iter__"))?)
}

/// Looks up these types while modules can be imported.
pub(crate) fn find_early(py: Python<'_>) -> PyResult<()> {
    left_out(py).map(|_| ())
}

/// The types that mark an omitted field: `NotGiven` and `Omit`.
fn left_out<'py>(py: Python<'py>) -> PyResult<&'py (Py<PyAny>, Py<PyAny>)> {
    static TYPES: Kept<(Py<PyAny>, Py<PyAny>)> = Kept::new();
    TYPES.get_or_try_init(|| {
        let given = modules::own(py, "_options")?;
        PyResult::Ok((given.attribute("NotGiven")?.unbind(), given.attribute("Omit")?.unbind()))
    })
}

/// Whether a value marks an omitted field: ours, or openai-python's, which programs that use both may pass.
fn is_left_out(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kind = value.get_type();
    let (not_given, omit) = left_out(value.py())?;
    if kind.is(not_given) || kind.is(omit) {
        return Ok(true);
    }
    let name = kind.name()?;
    let name = name.to_cow()?;
    Ok((name == "NotGiven" || name == "Omit") && {
        let module = kind.module()?;
        let module = module.to_cow()?;
        module == "openai" || module.starts_with("openai.")
    })
}

/// Whether a value is plain JSON, and so not such a mark: nearly every value is.
fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyDict>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_none()
}

fn write_float(float: &Bound<'_, PyFloat>, out: &mut String) -> PyResult<()> {
    let value = float.value();
    if !value.is_finite() {
        return Err(PyValueError::new_err(format!(
            "Out of range float values are not JSON compliant: {value}"
        )));
    }
    // Rust and Python both write the shortest digits that parse to the same float; `?` keeps ".0".
    let _ = write!(out, "{value:?}");
    Ok(())
}

/// A lone surrogate has no UTF-8 form and raises UnicodeEncodeError here.
fn write_str(text: &Bound<'_, PyString>, out: &mut String) -> PyResult<()> {
    let text = text.to_cow()?;
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(text.get(plain..at).unwrap_or_default());
        plain = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => {
                let _ = write!(out, "\\u{control:04x}");
            }
        }
    }
    out.push_str(text.get(plain..).unwrap_or_default());
    out.push('"');
    Ok(())
}
