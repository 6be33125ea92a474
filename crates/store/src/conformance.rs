//! One suite for every database.
