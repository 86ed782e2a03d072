//! Makes a static library private to the program or plugin that links it: an archive in, an archive
//! out. Knows no function of the library but for what their names begin with.
//!
//! - Each symbol that a member defines becomes hidden. Members still find each other, and the program
//!   finds the functions, but no linker puts them among the dynamic symbols of a plugin, whatever its
//!   flags, where those of another plugin's copy would take their place.
//! - Each symbol but the functions gets a name of its own, for a program may have another Rust library
//!   in it. That one may come from another version of Rust, or from a build that optimised across
//!   crates: some names are then the same, and what they stand for is not. All or none: a linker
//!   that takes one name from the other library takes everything that stands in the same object.
//!
//! `ld -r` and `objcopy` could make symbols local instead. They would leave one object, of which
//! every program links all, and they are other programs for each target.

mod archive;
mod object;

use std::collections::BTreeSet;

use archive::Archive;
use object::Object;

/// What the names of functions begin with: these stay as they are.
const FUNCTIONS: &[u8] = b"modelwire_";
/// What all other names end with. Demanglers of Rust take what follows a dot for a remark.
const OWN: &[u8] = b".modelwire";

/// The archive, with its symbols hidden. One that was hidden before stays as it is.
pub fn hide(archive: &[u8]) -> Result<Vec<u8>, String> {
    let mut archive = Archive::read(archive)?;
    let broken = |name: &str| format!("the member {name} is no whole ELF file of 64 bits");
    let mut defined = BTreeSet::new();
    for (name, member) in archive.objects() {
        let names = Object::read(member).and_then(|object| object.defined());
        defined.extend(names.ok_or_else(|| broken(&name))?);
    }
    defined.retain(|name| !name.starts_with(FUNCTIONS) && !name.ends_with(OWN));
    for (name, member) in archive.objects() {
        let hidden = Object::read(member).and_then(|object| object.hidden(&defined, OWN));
        *member = hidden.ok_or_else(|| broken(&name))?;
    }
    archive.written(|member| Object::read(member)?.defined())
}
