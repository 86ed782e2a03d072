//! include/modelwire.ffi.h: the header for parsers that understand only declarations.

use std::fmt::Write;

use crate::description::{Description, Function, Value};

/// The comment before the declarations.
const FIRST: &str = "\
/*
 * modelwire for parsers of C declarations: PHP's FFI, LuaJIT, cffi. The same as modelwire.h, which has
 * the documentation, without directives and attributes. Generated (`make generate`); do not edit.
 *
 * The length argument of a string that ends with NUL, MODELWIRE_NUL in modelwire.h, is the largest size_t.
 */
";

/// The declarations alone.
pub fn plain(description: &Description) -> String {
    let mut text = FIRST.to_owned();
    // Writing to a string cannot fail.
    let mut line = |arguments: std::fmt::Arguments| _ = writeln!(text, "{arguments}");
    line(format_args!("\nenum {{"));
    for constant in &description.constants {
        if let Value::Number(number) = constant.value {
            line(format_args!("  {} = {number},", constant.name));
        }
    }
    line(format_args!("}};\n"));
    for handle in &description.handles {
        line(format_args!("typedef struct {0} {0};", handle.name));
    }
    for alias in &description.types {
        line(format_args!("typedef {} {};", alias.is, alias.name));
    }
    for one in &description.callbacks {
        let returns = &one.returns.kind;
        line(format_args!("typedef {returns} (*{})({});", one.name, parameters(one)));
    }
    line(format_args!(""));
    for one in &description.functions {
        line(format_args!("{}{}({});", spaced(&one.returns.kind), one.name, parameters(one)));
    }
    text
}

fn parameters(function: &Function) -> String {
    if function.parameters.is_empty() {
        return "void".to_owned();
    }
    let declared = |one: &crate::description::Parameter| spaced(&one.kind) + &one.name;
    function.parameters.iter().map(declared).collect::<Vec<_>>().join(", ")
}

/// A type before a name: with a space, except after a star.
fn spaced(kind: &str) -> String {
    if kind.ends_with('*') { kind.to_owned() } else { format!("{kind} ") }
}
