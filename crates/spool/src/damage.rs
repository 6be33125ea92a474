//! What is wrong with a file of the spool.

use std::io;

/// Why a segment cannot be read as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// It has no bytes.
    #[error("is empty")]
    Empty,
    /// It does not begin as a segment does.
    #[error("is not a segment of the spool")]
    Foreign,
    /// A later release wrote it, in this format.
    #[error("has format {0}, which a later release wrote")]
    Later(u32),
    /// It ends within its header or a block.
    #[error("is cut")]
    Cut,
    /// A checksum differs.
    #[error("was changed: a checksum differs")]
    Changed,
    /// A block does not contain what its checksum covers.
    #[error("has a block that cannot be decoded")]
    Undecodable,
}

/// Why a segment cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Its content.
    #[error("it {0}")]
    Damaged(#[from] Damage),
    /// The system.
    #[error(transparent)]
    Io(#[from] io::Error),
}
