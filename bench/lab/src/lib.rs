#![doc = include_str!("../README.md")]

pub mod back_end;
pub mod background;
pub mod between;
pub mod brief;
pub mod capacity;
pub mod check;
pub mod compare;
pub mod control;
pub mod credential;
pub mod driver;
pub mod figures;
pub mod footprint;
pub mod generator;
pub mod histogram;
pub mod host;
pub mod https;
mod identity;
pub mod kept;
pub mod load;
pub mod machine;
pub mod measure;
pub mod numbers;
pub mod peak;
pub mod plan;
pub mod process;
pub mod profile;
pub mod progress;
pub mod published;
mod readiness;
pub mod report;
pub mod rival;
pub mod scenario;
mod scraper;
mod security;
pub mod side;
pub mod split;
pub mod stand;
pub mod statistics;
mod stream;
pub mod summary;
pub mod tollgate;
pub mod topology;
mod wire;
pub mod world;

#[cfg(test)]
#[path = "../tests/sample/runs.rs"]
mod sample;
