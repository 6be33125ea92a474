//! What goes up of a call for which a response may be stored.

use tollgate_cache::coding::Codings;
use tollgate_cache::key::Key;
use tollgate_cache::store::Validators;
use tollgate_http1::buffer_pool::Scratch;

use crate::snapshot::caching::CacheRules;

/// What goes up of a call, and its key.
#[derive(Debug)]
pub(crate) struct Keyed {
    pub(crate) key: Key,
    /// The id of the version.
    pub(crate) version: u64,
    /// The content codings that go up.
    pub(crate) codings: Codings,
    /// Path and query below the upstream's base path, then the field lines.
    text: Scratch,
    /// The length of path and query.
    target_bytes: usize,
}

/// What goes up of a call for a response that may be stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cached<'c> {
    pub(crate) keyed: &'c Keyed,
    pub(crate) rules: &'c CacheRules,
    /// By what the upstream recognizes the stored response.
    pub(crate) validators: Option<&'c Validators>,
}

impl Keyed {
    /// What goes up of a call with this key; the first `target_bytes` of `text` are path and query.
    pub(crate) fn new(
        key: Key,
        version: u64,
        codings: Codings,
        text: Scratch,
        target_bytes: usize,
    ) -> Self {
        Self {
            key,
            version,
            codings,
            text,
            target_bytes,
        }
    }

    /// Path and query below the upstream's base path.
    pub(crate) fn target(&self) -> &[u8] {
        &self.text[..self.target_bytes]
    }

    /// The field lines.
    pub(crate) fn fields(&self) -> &[u8] {
        &self.text[self.target_bytes..]
    }

    /// Whether a field that steps set is a condition that a 304 answers.
    pub(crate) fn has_condition(&self) -> bool {
        let mut lines = self.fields().split(|&byte| byte == b'\n');
        lines.any(|line| {
            let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
            let mut conditions = [b"if-none-match".as_slice(), b"if-modified-since"].into_iter();
            conditions.any(|of| name.eq_ignore_ascii_case(of))
        })
    }
}
