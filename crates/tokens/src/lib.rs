#![doc = include_str!("../README.md")]

pub mod api_key;
mod base62;
pub mod basic;
mod form;
pub mod generated;
mod json;
pub mod jwk;
pub mod jwt;
pub mod key;
pub mod opaque;
pub mod password;
pub mod session;
