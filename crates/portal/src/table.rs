//! The table that `build.rs` writes, in the order of the paths.

use crate::File;

pub(crate) const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/table.rs"));
