//! The table that `build.rs` writes, sorted by path.

use crate::File;

pub(crate) const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/table.rs"));
