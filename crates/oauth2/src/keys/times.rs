//! When keys sign and when they end: decisions over a list of keys and a time. Times are Unix
//! microseconds.

use tollgate_model::algorithm::Algorithm;
use tollgate_store::signing_keys::{SigningKey, Times};

/// A day.
pub(crate) const DAY_US: i64 = 86_400 * SECOND_US;
/// How long a key is published before it signs, where the age of the one before brings it: longer
/// than the key set is cached by those who read it.
pub(crate) const AGE_LEAD_US: i64 = 3_600 * SECOND_US;
/// How long a key is published before it signs, where a command brings it.
pub(crate) const COMMAND_LEAD_US: i64 = 900 * SECOND_US;
/// How long a token lasts at most.
pub(crate) const LIFETIME_S_MAX: u32 = 3_600;
/// How long after its last token a key ends.
const END_US: i64 = 300 * SECOND_US;
const SECOND_US: i64 = 1_000_000;

/// The key of an algorithm that signs now: of several the one that began last.
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

/// The key of an algorithm that signs next.
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

/// Whether a next key of an algorithm should be made: the one that signs is old enough, or its end
/// is set and what should follow it was deleted.
pub(crate) fn is_due(
    keys: &[SigningKey],
    algorithm: Algorithm,
    (now_us, age_us): (i64, i64),
) -> bool {
    let Some(current) = current(keys, algorithm, now_us) else {
        return false;
    };
    let is_old = now_us.saturating_sub(current.times.signs_from_us) >= age_us;
    let is_ending = current.times.signs_until_us.is_some();
    (is_old || is_ending) && waiting(keys, algorithm, now_us).is_none()
}

/// Of a key that signs from then on.
pub(crate) const fn from(signs_from_us: i64) -> Times {
    Times {
        signs_from_us,
        signs_until_us: None,
        ends_us: None,
    }
}

/// Of a key that another one follows at `until_us`: it ends when its last token has.
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
