//! The notes of an import: each construct that is not taken over as written, with its place.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Maximum number of notes of one import; further ones are only counted.
const NOTES_MAX: usize = 1_000;

/// Maximum characters of a sentence: names may be long.
const CHARACTERS_MAX: usize = 500;

/// A position: a document of the import and an offset in its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    pub(crate) document: u32,
    pub(crate) offset: u32,
}

/// A construct of a contract that is not understood, or not as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Stable code word, such as `schema.unknown_type`.
    pub code: String,
    /// The document's URI.
    pub document: String,
    /// The line, from 1, of its first occurrence.
    pub line: u32,
    /// One sentence.
    pub detail: String,
    /// Number of times that it occurred in that document.
    pub times: u32,
}

/// The documents of an import, for converting places to lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources {
    documents: Vec<Source>,
}

#[derive(Debug, Clone)]
struct Source {
    uri: String,
    is_built_in: bool,
    /// The start of each line but the first.
    line_starts: Vec<u32>,
}

impl Sources {
    pub(crate) fn push(&mut self, uri: &str, text: &str, is_built_in: bool) {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        self.documents.push(Source {
            uri: uri.to_owned(),
            is_built_in,
            line_starts: ends.map(|(at, _)| offset(at + 1)).collect(),
        });
    }

    pub(crate) fn uri(&self, place: Place) -> &str {
        let source = self.documents.get(place.document as usize);
        source.map_or("", |source| source.uri.as_str())
    }

    /// Whether the document is one of the built-in schemas.
    pub(crate) fn is_built_in(&self, place: Place) -> bool {
        let source = self.documents.get(place.document as usize);
        source.is_some_and(|source| source.is_built_in)
    }

    /// Returns the start of a line.
    pub(crate) fn line_start(&self, document: u32, line: u32) -> u32 {
        let source = self.documents.get(document as usize);
        let before = usize::try_from(line).unwrap_or_default().checked_sub(2);
        before
            .and_then(|before| source?.line_starts.get(before).copied())
            .unwrap_or_default()
    }

    pub(crate) fn line(&self, place: Place) -> u32 {
        let source = self.documents.get(place.document as usize);
        source.map_or(0, |source| {
            let before = source
                .line_starts
                .partition_point(|start| *start <= place.offset);
            offset(before + 1)
        })
    }
}

/// Collects notes: the same sentence once per document, up to a bound.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    notes: Vec<(&'static str, Place, String, u32)>,
    index: BTreeMap<(&'static str, u32, String), usize>,
    dropped: u32,
}

impl Notes {
    pub(crate) fn push(&mut self, code: &'static str, place: Place, detail: impl Into<String>) {
        let mut detail = detail.into();
        if let Some((end, _)) = detail.char_indices().nth(CHARACTERS_MAX) {
            detail.truncate(end);
            detail.push('…');
        }
        let key = (code, place.document, detail);
        if let Some(&at) = self.index.get(&key) {
            if let Some(note) = self.notes.get_mut(at) {
                note.3 = note.3.saturating_add(1);
            }
            return;
        }
        if self.notes.len() == NOTES_MAX {
            self.dropped = self.dropped.saturating_add(1);
            return;
        }
        self.notes.push((code, place, key.2.clone(), 1));
        self.index.insert(key, self.notes.len() - 1);
    }

    pub(crate) fn to_notes(&self, sources: &Sources) -> Vec<Note> {
        let mut notes: Vec<Note> = self
            .notes
            .iter()
            .map(|(code, place, detail, times)| Note {
                code: (*code).to_owned(),
                document: sources.uri(*place).to_owned(),
                line: sources.line(*place),
                detail: detail.clone(),
                times: *times,
            })
            .collect();
        if self.dropped > 0 {
            notes.push(Note {
                code: "import.more".to_owned(),
                document: String::new(),
                line: 0,
                detail: format!("{} more notes are not shown", self.dropped),
                times: 1,
            });
        }
        notes
    }
}

/// Converts an offset or a number of lines: documents are far below 4 GiB.
pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
