//! The control plane's HTTP API and the feed that gateways read
