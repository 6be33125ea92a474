//! Times at which keys sign and end: decisions from a list of keys and a time. Times are Unix
//! microseconds.

use tollgate_model::algorithm::Algorithm;
use tollgate_store::signing_keys::{SigningKey, Times};

/// One day.
pub(crate) const DAY_US: i64 = 86_400 * SECOND_US;
/// How long a key is published before it signs if it replaces one by age: longer than clients cache
/// the key set.
pub(crate) const AGE_LEAD_US: i64 = 3_600 * SECOND_US;
/// How long a key is published before it signs if a command created it.
pub(crate) const COMMAND_LEAD_US: i64 = 900 * SECOND_US;
/// Maximum lifetime of a token.
pub(crate) const LIFETIME_S_MAX: u32 = 3_600;
/// How long after its last token's expiry a key ends.
const END_US: i64 = 300 * SECOND_US;
const SECOND_US: i64 = 1_000_000;

/// Returns the key of an algorithm that signs now: of several, the one that began last.
pub(crate) fn current(
    keys: &[SigningKey],
    algorithm: Algorithm,
    now_us: i64,
) -> Option<&SigningKey> {
    let of_algorithm = keys.iter().filter(|key| key.algorithm == algorithm);
    let signing = of_algorithm.filter(|key| signs(key.times, now_us));
    signing.max_by_key(|key| (key.times.signs_from_us, key.id))
}

fn signs(times: Times, now_us: i64) -> bool {
    times.signs_from_us <= now_us
        && times.signs_until_us.is_none_or(|until| now_us < until)
        && times.ends_us.is_none_or(|end| now_us < end)
}

/// Returns the key of an algorithm that signs next.
pub(crate) fn waiting(
    keys: &[SigningKey],
    algorithm: Algorithm,
    now_us: i64,
) -> Option<&SigningKey> {
    let of_algorithm = keys.iter().filter(|key| key.algorithm == algorithm);
    let waiting =
        of_algorithm.filter(|key| key.times.signs_from_us > now_us && key.times.ends_us.is_none());
    waiting.min_by_key(|key| (key.times.signs_from_us, key.id))
}

/// Returns whether a next key of an algorithm should be generated: the signing one is old enough,
/// or its end is set and its successor was deleted. `age_us` is how long a key signs.
pub(crate) fn is_due(keys: &[SigningKey], algorithm: Algorithm, now_us: i64, age_us: i64) -> bool {
    let Some(current) = current(keys, algorithm, now_us) else {
        return false;
    };
    let is_old = now_us.saturating_sub(current.times.signs_from_us) >= age_us;
    let is_ending = current.times.signs_until_us.is_some();
    (is_old || is_ending) && waiting(keys, algorithm, now_us).is_none()
}

/// Returns the times of a key that signs from `signs_from_us` on.
pub(crate) const fn from(signs_from_us: i64) -> Times {
    Times {
        signs_from_us,
        signs_until_us: None,
        ends_us: None,
    }
}

/// Returns the times of a key that another one replaces at `until_us`: it ends when its last token
/// has expired.
pub(crate) fn until(times: Times, until_us: i64) -> Times {
    let last_us = until_us + i64::from(LIFETIME_S_MAX) * SECOND_US;
    Times {
        signs_until_us: Some(until_us),
        ends_us: Some(last_us + END_US),
        ..times
    }
}

#[cfg(test)]
mod tests;
