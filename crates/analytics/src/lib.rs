//! From records to figures
