//! - `attacks.rs`: published attacks on caches

mod attacks;
