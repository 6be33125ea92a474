//! What the product is about: the nouns of an API manager and the decisions on them
