#![doc = include_str!("../README.md")]

pub mod address;
pub mod compile;
pub mod convention;
pub mod dispatch;
pub mod envelope;
pub mod fault;
mod identity;
pub mod import;
pub mod media_type;
pub mod message;
pub mod multipart;
pub mod openapi;
pub mod pattern;
pub mod plan;
pub mod resources;
pub mod to_json;
pub mod to_xml;
pub mod value;
pub mod version;

#[cfg(test)]
mod testing;
