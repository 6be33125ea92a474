//! OpenAPI documents to operations
