//! The children of open elements that were not read by their exact names.

#[cfg(test)]
mod tests;

/// Maximum bytes of a name or namespace in an error message.
const NAME_BYTES_MAX: usize = 120;

/// A child that was not read by its exact name.
#[derive(Debug)]
struct Departure {
    /// The place of its parent's frame.
    frame: usize,
    /// The first entry with its local name, in the index of that frame.
    entry: u16,
    /// Whether a wildcard has taken it, as opposed to being read as another name.
    is_taken: bool,
    /// The beginning of its namespace.
    found: Box<str>,
}

/// The children of open frames that were not read by their exact names: those that were read as a
/// field, and those that a wildcard has taken. One per local name of the contract is kept, so there
/// are never more than names in the open frames.
#[derive(Debug, Default)]
pub(super) struct Departures {
    list: Vec<Departure>,
}

impl Departures {
    pub(super) const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    /// Removes those of frames from this place on.
    pub(super) fn truncate(&mut self, frames: usize) {
        self.list.retain(|it| it.frame < frames);
    }

    pub(super) fn push(&mut self, frame: usize, entry: u16, is_taken: bool, found: &str) {
        if self.find(frame, entry, is_taken).is_none() {
            self.list.push(Departure {
                frame,
                entry,
                is_taken,
                found: bounded(found),
            });
        }
    }

    /// Returns the namespace of a child of a frame.
    pub(super) fn find(&self, frame: usize, entry: u16, is_taken: bool) -> Option<&str> {
        let mut list = self.list.iter();
        let found = list.find(|it| (it.frame, it.entry, it.is_taken) == (frame, entry, is_taken));
        found.map(|it| &*it.found)
    }

    /// Returns the children of a frame that a wildcard has taken: their entries and namespaces.
    pub(super) fn taken(&self, frame: usize) -> impl Iterator<Item = (u16, &str)> {
        let taken = self.list.iter();
        let taken = taken.filter(move |it| it.frame == frame && it.is_taken);
        taken.map(|it| (it.entry, &*it.found))
    }
}

/// Returns the beginning of a name in a message.
pub(super) fn bounded(name: &str) -> Box<str> {
    match name.get(..name.floor_char_boundary(NAME_BYTES_MAX)) {
        Some(begin) if begin.len() < name.len() => format!("{begin}…").into(),
        _ => name.into(),
    }
}
