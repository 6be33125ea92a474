//! Who has used how much of a plan
