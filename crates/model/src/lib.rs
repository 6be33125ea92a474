#![doc = include_str!("../README.md")]

pub mod api;
pub mod calendar;
pub mod compile;
pub mod credential;
pub mod fault;
pub mod feed;
pub mod field;
pub mod id;
pub mod lifecycle;
pub mod limit;
pub mod name;
pub mod operation;
pub mod plan;
pub mod record;
pub mod refusal;
pub mod resource;
#[cfg(feature = "schema")]
mod schema;
pub mod scheme;
pub mod security;
pub mod soap;
pub mod subscription;
pub mod template;
pub mod upstream;
pub mod user;
pub mod window;
