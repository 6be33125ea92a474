//! `Accept` (RFC 9110, section 12.5.1): whether a caller accepts JSON.

/// Whether the values of `Accept` allow one of the media types that we send: the most specific
/// range of a type decides. Without any value, everything is accepted.
pub(super) fn takes_json<'a>(values: impl Iterator<Item = &'a [u8]>) -> bool {
    let (mut has_range, mut takes_problems) = (false, false);
    // Indexed by the specificity of a range; of two equal ranges, one that accepts wins.
    let mut json: [Option<bool>; 3] = [None; 3];
    let ranges = values.flat_map(|value| value.split(|&byte| byte == b','));
    for range in ranges.map(<[u8]>::trim_ascii).filter(|it| !it.is_empty()) {
        has_range = true;
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
        let accepted = &mut json[specificity];
        *accepted = Some(takes || *accepted == Some(true));
    }
    let [any, application, exactly] = json;
    let takes = exactly.or(application).or(any);
    !has_range || takes_problems || takes == Some(true)
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
