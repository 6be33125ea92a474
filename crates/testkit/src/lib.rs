//! Runs the product in tests: builders, fake upstreams, load
