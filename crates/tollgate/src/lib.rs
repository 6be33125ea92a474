//! The binary: roles, configuration, wiring
