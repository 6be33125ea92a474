//! `Accept` (RFC 9110, section 12.5.1): whether a caller takes JSON.

/// Whether one of the media types that are answered is among what the values of `Accept` take:
/// the most specific range of a type decides. Without any, everything is taken.
pub(super) fn takes_json<'a>(values: impl Iterator<Item = &'a [u8]>) -> bool {
    let (mut is_any_said, mut takes_problems) = (false, false);
    // By how specific a range is; of two alike, the one that takes it counts.
    let mut json: [Option<bool>; 3] = [None; 3];
    let ranges = values.flat_map(|value| value.split(|&byte| byte == b','));
    for range in ranges.map(<[u8]>::trim_ascii).filter(|it| !it.is_empty()) {
        is_any_said = true;
        let mut parts = range.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
        let essence = parts.next().unwrap_or_default();
        let takes = !parts.any(is_zero_weight);
        let is = |name: &[u8]| essence.eq_ignore_ascii_case(name);
        let specificity = if is(b"*/*") {
            0
        } else if is(b"application/*") {
            1
        } else if is(b"application/json") {
            2
        } else {
            takes_problems |= takes && is(b"application/problem+json");
            continue;
        };
        let said = &mut json[specificity];
        *said = Some(takes || *said == Some(true));
    }
    let [any, application, exactly] = json;
    let takes = exactly.or(application).or(any);
    !is_any_said || takes_problems || takes == Some(true)
}

/// Whether a parameter of a range is a weight of zero.
fn is_zero_weight(parameter: &[u8]) -> bool {
    let weight = parameter
        .strip_prefix(b"q=")
        .or_else(|| parameter.strip_prefix(b"Q="));
    weight.is_some_and(|weight| {
        weight.first() == Some(&b'0') && weight.iter().all(|byte| matches!(byte, b'0' | b'.'))
    })
}

#[cfg(test)]
mod tests;
