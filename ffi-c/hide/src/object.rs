//! The symbols of an object file: ELF of 64 bits, the lower byte first. Knows no archive.
//!
//! `None` stands for a file that is not one, or whose numbers lead outside of it.

use std::collections::BTreeSet;
use std::ops::Range;

/// Class 2 and data 1.
const BEGIN: &[u8] = b"\x7fELF\x02\x01";
const SECTION_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;
/// The type of the section that is a table of symbols; a file has at most one.
const SYMTAB: u32 = 2;
const LOCAL: u8 = 0;
const VISIBILITY: u8 = 3;
const HIDDEN: u8 = 2;

/// An object file, and where its symbols stand in it.
pub(crate) struct Object<'a> {
    file: &'a [u8],
    symbols: Range<usize>,
    /// The header of the section with the names.
    strings_header: usize,
    strings: Range<usize>,
}

impl<'a> Object<'a> {
    pub(crate) fn read(file: &'a [u8]) -> Option<Object<'a>> {
        if !file.starts_with(BEGIN) {
            return None;
        }
        let sections = number(file, 0x28)?;
        let count = match u16::from_le_bytes(bytes(file, 0x3c)?) {
            // More than fit there: the first section says it.
            0 if sections > 0 => number(file, sections.checked_add(32)?)?,
            count => usize::from(count),
        };
        let header = |section: usize| sections.checked_add(section.checked_mul(SECTION_BYTES)?);
        for section in 0..count {
            let at = header(section)?;
            if u32::from_le_bytes(bytes(file, at.checked_add(4)?)?) == SYMTAB {
                let link = u32::from_le_bytes(bytes(file, at.checked_add(40)?)?);
                let strings_header = header(usize::try_from(link).ok()?)?;
                let symbols = contents(file, at)?;
                let strings = contents(file, strings_header)?;
                return Some(Object { file, symbols, strings_header, strings });
            }
        }
        // One without symbols.
        Some(Object { file, symbols: 0..0, strings_header: 0, strings: 0..0 })
    }

    /// The names of what other files see of it.
    pub(crate) fn defined(&self) -> Option<Vec<Vec<u8>>> {
        let symbols = self.file.get(self.symbols.clone())?.chunks_exact(SYMBOL_BYTES);
        let defined = symbols.filter(|symbol| !is_local(symbol) && is_defined(symbol));
        defined.map(|symbol| self.name(symbol).map(<[u8]>::to_vec)).collect()
    }

    fn name(&self, symbol: &[u8]) -> Option<&[u8]> {
        let at = usize::try_from(u32::from_le_bytes(bytes(symbol, 0)?)).ok()?;
        let name = self.file.get(self.strings.clone())?.get(at..)?;
        name.get(..name.iter().position(|byte| *byte == 0)?)
    }

    /// The file with what it defines hidden, and with this behind the names that are listed, whether
    /// it defines or only uses them.
    pub(crate) fn hidden(&self, names: &BTreeSet<Vec<u8>>, own: &[u8]) -> Option<Vec<u8>> {
        let mut symbols = self.file.get(self.symbols.clone())?.to_vec();
        // Old names stay: one may be the end of another, or the name of a section.
        let mut strings = self.file.get(self.strings.clone())?.to_vec();
        for symbol in symbols.chunks_exact_mut(SYMBOL_BYTES) {
            if is_local(symbol) {
                continue;
            }
            let name = self.name(symbol)?;
            if names.contains(name) {
                let at = u32::try_from(strings.len()).ok()?.to_le_bytes();
                strings.extend(name);
                strings.extend(own);
                strings.push(0);
                symbol.get_mut(..4)?.copy_from_slice(&at);
            }
            if is_defined(symbol) {
                let visibility = symbol.get_mut(5)?;
                *visibility = *visibility & !VISIBILITY | HIDDEN;
            }
        }
        let mut file = self.file.to_vec();
        file.get_mut(self.symbols.clone())?.copy_from_slice(&symbols);
        if strings.len() > self.strings.len() {
            let (place, size) = (file.len(), strings.len());
            for (field, value) in [(24, place), (32, size)] {
                let at = self.strings_header.checked_add(field)?;
                let value = u64::try_from(value).ok()?.to_le_bytes();
                file.get_mut(at..at.checked_add(8)?)?.copy_from_slice(&value);
            }
            file.extend(strings);
        }
        Some(file)
    }
}

fn is_local(symbol: &[u8]) -> bool {
    symbol.get(4).is_none_or(|info| info >> 4 == LOCAL)
}

fn is_defined(symbol: &[u8]) -> bool {
    bytes(symbol, 6).is_some_and(|section| u16::from_le_bytes(section) != 0)
}

/// Where the contents of a section stand, from its header.
fn contents(file: &[u8], header: usize) -> Option<Range<usize>> {
    let start = number(file, header.checked_add(24)?)?;
    let end = start.checked_add(number(file, header.checked_add(32)?)?)?;
    (end <= file.len()).then_some(start..end)
}

fn number(file: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(bytes(file, at)?)).ok()
}

fn bytes<const N: usize>(file: &[u8], at: usize) -> Option<[u8; N]> {
    file.get(at..at.checked_add(N)?)?.try_into().ok()
}
