//! Request fields that hold lists of values.

use axum::http::{HeaderMap, HeaderName};

/// Returns whether a list of values with parameters contains `value` with a weight above zero (RFC
/// 9110, section 12.5).
pub(crate) fn names(headers: &HeaderMap, header: HeaderName, value: &str) -> bool {
    let lines = headers.get_all(header).iter();
    let items = lines.filter_map(|line| line.to_str().ok());
    let mut items = items.flat_map(|line| line.split(','));
    items.any(|item| {
        let mut parts = item.split(';').map(str::trim);
        let is_it = parts
            .next()
            .is_some_and(|it| it.eq_ignore_ascii_case(value));
        let parameters = parts.filter_map(|part| part.split_once('='));
        let weights = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
        is_it
            && weights
                .filter_map(|(_, it)| it.trim().parse::<f32>().ok())
                .all(|weight| weight > 0.0)
    })
}
