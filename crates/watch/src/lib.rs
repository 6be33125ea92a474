#![doc = include_str!("../README.md")]

pub mod access_log;
mod calls;
mod class;
pub mod families;
mod histogram;
mod listener;
mod page;
mod process;
mod table;

pub use access_log::AccessLog;
pub use calls::{APIS_MAX, Adding, Calls, Names, Served, VERSIONS_MAX};
pub use class::{CLASSES, class_of};
pub use families::{FAMILIES, Family, Kind};
pub use histogram::{Bounds, Histogram};
pub use listener::{Scrapes, Source, exposure_warning, serve};
pub use page::{Format, Page, Samples};
pub use process::write_process;
