//! The texts of calls in progress, until their records come.

use std::collections::BTreeMap;

use tollgate_model::call_text::CallText;

/// Maximum bytes of texts, twice those of a worker's ring; the oldest give way.
const BYTES_MAX: usize = 8 << 20;
/// Maximum number of unused buffers that are kept.
const UNUSED_MAX: usize = 4_096;

/// Encoded texts by the number of their call.
#[derive(Debug, Default)]
pub(super) struct PendingTexts {
    calls: BTreeMap<u64, Vec<u8>>,
    bytes: usize,
    unused: Vec<Vec<u8>>,
}

impl PendingTexts {
    /// Keeps the encoded texts of a call.
    pub(super) fn insert(&mut self, frame: &[u8]) {
        let Some(texts) = CallText::decode(frame) else {
            return;
        };
        let mut kept = self.unused.pop().unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(frame);
        self.bytes += frame.len();
        self.calls.insert(texts.number, kept);
        while self.bytes > BYTES_MAX {
            let Some((_, oldest)) = self.calls.pop_first() else {
                break;
            };
            self.bytes -= oldest.len();
        }
    }

    /// Takes the encoded texts of a call; `None` if they were lost.
    pub(super) fn take(&mut self, number: u64) -> Option<Vec<u8>> {
        let frame = self.calls.remove(&number)?;
        self.bytes -= frame.len();
        Some(frame)
    }

    /// Takes back a buffer.
    pub(super) fn give_back(&mut self, frame: Vec<u8>) {
        if self.unused.len() < UNUSED_MAX {
            self.unused.push(frame);
        }
    }
}
