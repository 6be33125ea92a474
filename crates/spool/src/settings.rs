//! Settings of the spool.

use std::path::PathBuf;
use std::time::Duration;

/// Where the spool is, and how much it keeps. What is beyond any bound is removed, the oldest
/// segment first; the segment that is being written stays.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Its folder.
    pub folder: PathBuf,
    /// Maximum bytes of all segments.
    pub bytes_max: u64,
    /// How long calls are kept.
    pub kept: Duration,
    /// Bytes of the disk that stay free.
    pub free_bytes_min: u64,
    /// Bytes after which a segment ends.
    pub segment_bytes: u64,
}
