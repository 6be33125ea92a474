//! Notes on parts of a document that have no effect here. `document` and `security` find them; this
//! module condenses them: missing operations first, then parts that affect most operations.
//!
//! A part that occurs at many operations becomes one note with its number and its first place.

use std::cmp::Reverse;
use std::ops::Range;

use crate::Note;
use crate::model::fault::pointer_token;
use crate::tree::Map;

/// Maximum number of notes on single paths; further ones are counted in one note.
const PATH_NOTES_MAX: usize = 100;
/// Maximum number of notes on single callbacks, on webhooks and on fields of the document; further
/// ones are counted in one note.
const NAME_NOTES_MAX: usize = 100;

const OF_PATH: &str = "openapi.path";
const OF_READING: &str = "openapi.rest";
/// Codes of notes on operations that are missing, or incomplete.
const IS_MISSING: [&str; 3] = [OF_PATH, "openapi.no_operation", "openapi.outside"];

/// The notes so far.
#[derive(Default)]
pub(crate) struct Notes {
    notes: Vec<Note>,
    paths: usize,
    /// Number of operations in the paths beyond [`PATH_NOTES_MAX`].
    operations_of_more: usize,
    /// Number of paths with a sign.
    readings: usize,
    /// Ignored parts of paths and operations.
    pub(crate) aside: Aside,
}

/// The number and first place of ignored parts of paths and operations.
#[derive(Default)]
pub(crate) struct Aside {
    pub(crate) callbacks: Occurrences,
    pub(crate) servers: Occurrences,
    pub(crate) deprecated: Occurrences,
    pub(crate) content: Occurrences,
    pub(crate) extensions: Occurrences,
}

/// The number of occurrences and of operations, and the first place.
#[derive(Default)]
pub(crate) struct Occurrences {
    count: usize,
    operations: usize,
    /// The number of the last operation that was counted, so that each is counted once.
    last: usize,
    first: String,
}

impl Occurrences {
    /// Returns the first place.
    pub(crate) fn first(&self) -> Option<&str> {
        (self.count > 0).then_some(self.first.as_str())
    }

    /// Adds an occurrence at this pointer.
    pub(crate) fn add(&mut self, field: impl FnOnce() -> String) {
        if self.count == 0 {
            self.first = field();
        }
        self.count += 1;
    }

    /// Like [`Self::add`], for a part that affects operations with these numbers, from 1. Parts
    /// that affect all operations of a path must be added before those of a single one.
    pub(crate) fn add_to(&mut self, operations: &Range<usize>, field: impl FnOnce() -> String) {
        self.add(field);
        if operations.end > self.last + 1 {
            self.operations += operations.len();
            self.last = operations.end - 1;
        }
    }
}

impl Notes {
    /// Adds a note at a pointer.
    pub(crate) fn add(&mut self, field: &str, code: &'static str, detail: impl Into<String>) {
        self.add_on(field, 0, code, detail);
    }

    /// Like [`Self::add`], with the number of affected operations.
    pub(crate) fn add_on(
        &mut self,
        field: &str,
        operations: usize,
        code: &'static str,
        detail: impl Into<String>,
    ) {
        self.notes.push(Note {
            field: field.to_owned(),
            code,
            detail: detail.into(),
            operations,
        });
    }

    /// Adds one note on all occurrences, if there are any.
    pub(crate) fn counted(&mut self, found: &Occurrences, code: &'static str, sentence: &str) {
        if found.count > 0 {
            let detail = format!("{sentence} (found: {})", found.count);
            self.add_on(&found.first, found.operations, code, detail);
        }
    }

    /// Adds a note on a path that is left out, or on one of its operations, with the number of
    /// operations.
    pub(crate) fn path(&mut self, field: &str, operations: usize, detail: &str) {
        self.paths += 1;
        if self.paths <= PATH_NOTES_MAX {
            self.add_on(field, operations, OF_PATH, detail);
        } else {
            self.operations_of_more += operations;
        }
    }

    /// Adds a note on how a sign in a path, `*` or `+`, is read.
    pub(crate) fn reading(&mut self, field: &str, detail: &str) {
        self.readings += 1;
        if self.readings <= PATH_NOTES_MAX {
            self.add(field, OF_READING, detail);
        }
    }

    /// Returns all notes, including those on fields other than paths.
    pub(crate) fn finish(mut self, root: &Map) -> Vec<Note> {
        let rest = self.operations_of_more;
        self.more("/paths", rest, OF_PATH, self.paths, PATH_NOTES_MAX);
        self.more("/paths", 0, OF_READING, self.readings, PATH_NOTES_MAX);
        self.finish_aside();
        let components = root.map("components");
        self.names(
            components.and_then(|all| all.map("callbacks")),
            "/components/callbacks",
            "openapi.callbacks",
            "callbacks do not pass through the gateway",
        );
        self.names(
            root.map("webhooks"),
            "/webhooks",
            "openapi.webhooks",
            "webhooks do not pass through the gateway",
        );
        self.root_fields(root);
        let is_beside = |note: &Note| !IS_MISSING.contains(&note.code);
        self.notes
            .sort_by_key(|note| (is_beside(note), Reverse(note.operations)));
        self.notes
    }

    fn finish_aside(&mut self) {
        let aside = std::mem::take(&mut self.aside);
        let rows = [
            (
                aside.callbacks,
                "openapi.callbacks",
                "callbacks go to the consumer and do not pass through the gateway",
            ),
            (
                aside.servers,
                "openapi.server",
                "servers of single paths and operations have no effect; all calls go to the \
                 version's upstream",
            ),
            (
                aside.deprecated,
                "openapi.deprecated",
                "deprecated flags of single operations have no effect",
            ),
            (
                aside.content,
                "openapi.content",
                "parameters, bodies, responses and other descriptions stay in the document; \
                 the gateway does not check them",
            ),
            (
                aside.extensions,
                "openapi.extension",
                "extensions have no effect",
            ),
        ];
        for (occurrences, code, sentence) in rows {
            self.counted(&occurrences, code, sentence);
        }
    }

    /// Adds a note on each key of an object, up to a bound.
    fn names(&mut self, map: Option<&Map>, field: &str, code: &'static str, why: &str) {
        let Some(map) = map else { return };
        for (name, _) in map.in_order().into_iter().take(NAME_NOTES_MAX) {
            let at = format!("{field}/{}", pointer_token(name));
            self.add(&at, code, format!("{name}: {why}"));
        }
        self.more(field, 0, code, map.len(), NAME_NOTES_MAX);
    }

    fn more(
        &mut self,
        field: &str,
        operations: usize,
        code: &'static str,
        count: usize,
        most: usize,
    ) {
        if count > most {
            let detail = format!("{} more like these", count - most);
            self.add_on(field, operations, code, detail);
        }
    }

    /// Adds a note on each field of the document that has no effect, up to a bound.
    fn root_fields(&mut self, root: &Map) {
        let fields = root.in_order().into_iter();
        let idle = fields.filter_map(|(key, _)| Some((key, idle_field(key)?)));
        let mut count = 0;
        for (key, (code, detail)) in idle {
            count += 1;
            if count <= NAME_NOTES_MAX {
                let field = format!("/{}", pointer_token(key));
                self.add(&field, code, detail);
            }
        }
        self.more("", 0, "openapi.unknown", count, NAME_NOTES_MAX);
    }
}

/// Returns the code and the sentence of a field of the document that has no effect; `None` for
/// others.
fn idle_field(key: &str) -> Option<(&'static str, String)> {
    match key {
        "openapi" | "info" | "servers" | "paths" | "webhooks" | "components" | "security" => None,
        "tags" | "externalDocs" | "jsonSchemaDialect" => Some((
            "openapi.content",
            format!("the gateway does not use {key:?}; the document keeps it"),
        )),
        key if key.starts_with("x-") => Some((
            "openapi.extension",
            format!("the extension {key} has no effect"),
        )),
        key => Some((
            "openapi.unknown",
            format!("{key:?} is not a field of OpenAPI 3.0 or 3.1"),
        )),
    }
}
