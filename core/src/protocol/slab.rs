//! Storage for events that arrive together: one allocation for their texts, one for their spans.

use std::sync::Arc;

use crate::protocol::delta_scan::DeltaScan;
use crate::protocol::json::JsonError;
use crate::protocol::offsets::Spans;

/// Chunks that arrive together share one allocation of about this size for their texts: one allocation per
/// chunk, freed on another thread, costs more than all parsing. A chunk that is kept keeps its neighbours in
/// memory, but no more than this.
pub(crate) const SLAB_BYTES_MAX: usize = 16 << 10;

/// The data shared by chunks that arrived together: texts and spans.
struct Shared {
    texts: String,
    found: Findings,
}

/// The spans of chunks, in order. The first one needs no allocation: if a stream pauses between its events,
/// it is the only one.
#[derive(Default)]
struct Findings {
    first: Option<(Place, Spans)>,
    further: Vec<(Place, Spans)>,
}

impl Findings {
    fn push(&mut self, found: (Place, Spans)) {
        match &self.first {
            None => self.first = Some(found),
            Some(_) => self.further.push(found),
        }
    }

    fn get(&self, at: u32) -> Option<&(Place, Spans)> {
        match at.checked_sub(1) {
            None => self.first.as_ref(),
            Some(at) => self.further.get(at as usize),
        }
    }

    fn len(&self) -> usize {
        self.further.len() + usize::from(self.first.is_some())
    }
}

/// The position of a chunk's texts in its slab: the event's name and the JSON text, each followed by a NUL
/// for callers that need it.
#[derive(Clone, Copy, Default)]
struct Place {
    start: u32,
    name_end: u32,
    end: u32,
}

impl Place {
    fn write(event: &str, text: &str, slab: &mut String) -> Place {
        let start = slab.len() as u32;
        slab.push_str(event);
        let name_end = slab.len() as u32;
        slab.push('\0');
        slab.push_str(text);
        let end = slab.len() as u32;
        slab.push('\0');
        Place { start, name_end, end }
    }
}

/// The handle of one chunk in a slab. Small, because it is moved a dozen times; cheap to clone.
#[derive(Clone)]
pub(crate) struct Entry {
    slab: Arc<Shared>,
    at: u32,
}

impl Entry {
    /// Its size without its texts, in bytes.
    pub(crate) const OVERHEAD_BYTES: usize = size_of::<(Place, Spans)>();

    /// A chunk with its own slab.
    pub(crate) fn scan(event: &str, text: &str) -> Result<Entry, JsonError> {
        let spans = Spans::scan(text)?;
        let mut texts = String::with_capacity(event.len() + text.len() + 2);
        let place = Place::write(event, text, &mut texts);
        let found = Findings { first: Some((place, spans)), ..Findings::default() };
        Ok(Entry { slab: Arc::new(Shared { texts, found }), at: 0 })
    }

    fn place(&self) -> Place {
        self.slab.found.get(self.at).map_or_else(Place::default, |(place, _)| *place)
    }

    fn text(&self, start: u32, end: u32) -> &str {
        self.slab.texts.get(start as usize..end as usize).unwrap_or_default()
    }

    pub(crate) fn spans(&self) -> &Spans {
        const NOTHING: &Spans = &Spans::NOTHING;
        self.slab.found.get(self.at).map_or(NOTHING, |(_, spans)| spans)
    }

    /// The event's name with a terminating NUL.
    pub(crate) fn name_and_nul(&self) -> &str {
        let place = self.place();
        self.text(place.start, place.name_end + 1)
    }

    /// The JSON text with a terminating NUL.
    pub(crate) fn json_and_nul(&self) -> &str {
        let place = self.place();
        self.text(place.name_end + 1, place.end + 1)
    }

    pub(crate) fn json(&self) -> &str {
        let place = self.place();
        self.text(place.name_end + 1, place.end)
    }

    pub(crate) fn name(&self) -> &str {
        let place = self.place();
        self.text(place.start, place.name_end)
    }
}

/// A slab under construction: chunks that were scanned and are not shared yet.
#[derive(Default)]
pub(crate) struct Slab {
    texts: String,
    found: Findings,
    scan: DeltaScan,
}

impl Slab {
    /// Scans one event and adds it; an error means that it is not JSON.
    pub(crate) fn add(&mut self, event: &str, text: &str) -> Result<(), JsonError> {
        let spans = self.scan.scan(text)?;
        let place = Place::write(event, text, &mut self.texts);
        self.found.push((place, spans));
        Ok(())
    }

    /// The number of chunks.
    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.texts.len() >= SLAB_BYTES_MAX
    }

    /// Returns the entries of the chunks, in order, and empties the slab.
    pub(crate) fn seal(&mut self) -> impl Iterator<Item = Entry> + use<> {
        // The capacity that was needed this time.
        let texts = String::with_capacity(self.texts.len());
        let further = Vec::with_capacity(self.found.further.len());
        let texts = std::mem::replace(&mut self.texts, texts);
        let found = std::mem::replace(&mut self.found, Findings { first: None, further });
        let count = found.len() as u32;
        let slab = Arc::new(Shared { texts, found });
        (0..count).map(move |at| Entry { slab: slab.clone(), at })
    }
}
