//! Formats numbers for people: as many digits as a measurement justifies, with thousands
//! separators.

/// Formats with three significant digits, or all before the point: `0.0431`, `16.4`, `22,284`.
#[must_use]
pub fn short(value: f64) -> String {
    let size = value.abs();
    let digits = match size {
        _ if !size.is_finite() => return "-".to_owned(),
        _ if size == 0.0 => return "0".to_owned(),
        _ if size >= 99.95 => 0,
        _ if size >= 9.995 => 1,
        _ if size >= 0.9995 => 2,
        _ => (2.0 - size.log10().floor()).min(6.0) as usize,
    };
    grouped(&format!("{value:.digits$}"))
}

/// Formats for the ticks of an axis: `0`, `0.05`, `2.5`, `250`, `20k`, `1M`.
#[must_use]
pub fn compact(value: f64) -> String {
    let size = value.abs();
    let (scaled, unit) = match size {
        _ if size >= 1e6 => (value / 1e6, "M"),
        _ if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let text = format!("{scaled:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{}{unit}", grouped(text))
}

/// Formats a count with its noun: `1 core`, `2 cores`.
#[must_use]
pub fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(&count.to_string()))
}

/// Inserts thousands separators.
#[must_use]
pub fn grouped(number: &str) -> String {
    let (sign, rest) = number
        .strip_prefix('-')
        .map_or(("", number), |rest| ("-", rest));
    let (whole, fraction) = rest
        .split_once('.')
        .map_or((rest, None), |(w, f)| (w, Some(f)));
    let mut grouped = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if let Some(fraction) = fraction {
        grouped.push('.');
        grouped += fraction;
    }
    grouped
}

#[cfg(test)]
mod tests;
