//! Defaults of JSON members that `Default` does not cover, and whether a member has its default: it
//! is then left out.

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub(crate) const fn one() -> u16 {
    1
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde requires a reference"
)]
pub(crate) const fn is_one(it: &u16) -> bool {
    *it == 1
}

pub(crate) const fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde requires a reference"
)]
pub(crate) const fn is_yes(it: &bool) -> bool {
    *it
}
