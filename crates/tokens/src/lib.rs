//! Make and check API keys, passwords and sessions
