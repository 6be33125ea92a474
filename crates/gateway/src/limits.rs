//! Limits as the gateway applies them: which of them count a call.

pub(crate) mod condition;
