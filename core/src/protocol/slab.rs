//! Storage for events that arrive together: one allocation for their texts, one for their spans.

use std::sync::Arc;

use crate::protocol::delta_scan::DeltaScan;
use crate::protocol::json::JsonError;
use crate::protocol::offsets::Spans;
use crate::protocol::one_or_more::OneOrMore;
use crate::protocol::reader::Reader;
use crate::protocol::span::Edits;

/// Chunks that arrive together share one allocation of about this size for their texts: one allocation per
/// chunk, freed on another thread, costs more than all parsing. A chunk that is kept keeps its neighbours in
/// memory, but no more than this.
pub(crate) const SLAB_BYTES_MAX: usize = 16 << 10;

/// The data shared by chunks that arrived together. If a stream pauses between its events, there is one of each.
struct Shared {
    texts: String,
    /// What the full scans found.
    spans: OneOrMore<Arc<Spans>>,
    chunks: OneOrMore<Located>,
}

/// One chunk: where its texts are, and in what they differ from the one with these spans.
struct Located {
    place: Place,
    spans: u32,
    edits: Edits,
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
    /// Writes an event to a slab; `text` writes its text.
    fn write<T>(
        event: &str,
        slab: &mut String,
        text: impl FnOnce(&mut String) -> Result<T, JsonError>,
    ) -> Result<(Place, T), JsonError> {
        let start = slab.len();
        slab.push_str(event);
        let name_end = slab.len() as u32;
        slab.push('\0');
        let found = text(slab).inspect_err(|_| slab.truncate(start))?;
        let end = slab.len() as u32;
        slab.push('\0');
        Ok((Place { start: start as u32, name_end, end }, found))
    }
}

/// The handle of one chunk in a slab. Small, because it is moved a dozen times; cheap to clone.
#[derive(Clone)]
pub(crate) struct Entry {
    slab: Arc<Shared>,
    at: u32,
}

impl Entry {
    /// A chunk with its own slab.
    pub(crate) fn scan(event: &str, text: &str) -> Result<Entry, JsonError> {
        let mut texts = String::with_capacity(event.len() + text.len() + 2);
        let (place, spans) = Place::write(event, &mut texts, |texts| {
            texts.push_str(text);
            Spans::scan(text)
        })?;
        let spans = OneOrMore::of(Arc::new(spans));
        let chunks = OneOrMore::of(Located { place, spans: 0, edits: Edits::default() });
        Ok(Entry { slab: Arc::new(Shared { texts, spans, chunks }), at: 0 })
    }

    fn place(&self) -> Place {
        self.slab.chunks.get(self.at).map_or_else(Place::default, |chunk| chunk.place)
    }

    fn text(&self, start: u32, end: u32) -> &str {
        self.slab.texts.get(start as usize..end as usize).unwrap_or_default()
    }

    /// What was found, and what reads it.
    pub(crate) fn found(&self) -> (&Spans, Reader<'_>) {
        const NOTHING: &Spans = &Spans::NOTHING;
        let Some(Located { place, spans, edits }) = self.slab.chunks.get(self.at) else {
            return (NOTHING, Reader { text: "", edits: &[] });
        };
        let spans = self.slab.spans.get(*spans).map_or(NOTHING, Arc::as_ref);
        (spans, Reader { text: self.text(place.name_end + 1, place.end), edits: edits.get() })
    }

    /// Its size for a queue's limit.
    pub(crate) fn cost(&self) -> usize {
        let place = self.place();
        (place.end - place.start) as usize + size_of::<Located>() + size_of::<Spans>()
    }

    pub(crate) fn has_name(&self) -> bool {
        let place = self.place();
        place.start < place.name_end
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
    /// What the texts of the last slab needed: a stream that pauses holds no room for the next.
    texts_usual: usize,
    spans: OneOrMore<Arc<Spans>>,
    chunks: OneOrMore<Located>,
    scan: DeltaScan,
}

impl Slab {
    /// Scans one event and adds it; an error means that it is not JSON.
    pub(crate) fn add(&mut self, event: &str, data: &[u8]) -> Result<(), JsonError> {
        if self.texts.is_empty() {
            self.texts.reserve(self.texts_usual);
        }
        let scan = |texts: &mut String| self.scan.scan(data, texts);
        let (place, edits) = Place::write(event, &mut self.texts, scan)?;
        let spans = self.scan.spans();
        if !self.spans.last().is_some_and(|last| Arc::ptr_eq(last, spans)) {
            self.spans.push(spans.clone());
        }
        let spans = self.spans.len() as u32 - 1;
        self.chunks.push(Located { place, spans, edits });
        Ok(())
    }

    /// The number of chunks.
    pub(crate) fn len(&self) -> usize {
        self.chunks.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.texts.len() >= SLAB_BYTES_MAX
    }

    /// Returns the entries of the chunks, in order, and empties the slab.
    pub(crate) fn seal(&mut self) -> impl Iterator<Item = Entry> + use<> {
        let count = self.len() as u32;
        let texts = std::mem::take(&mut self.texts);
        self.texts_usual = texts.len();
        let (spans, chunks) = (self.spans.take(), self.chunks.take());
        let mut slab = Some(Arc::new(Shared { texts, spans, chunks }));
        (0..count).filter_map(move |at| {
            // The last one takes it.
            let slab = if at + 1 == count { slab.take() } else { slab.clone() };
            slab.map(|slab| Entry { slab, at })
        })
    }
}
