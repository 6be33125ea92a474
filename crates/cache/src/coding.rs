//! The content codings that a caller accepts, in three classes: a cache stores an answer for each.

#[cfg(test)]
mod tests;

/// A class of callers by `Accept-Encoding` (RFC 9110, section 12.5.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Codings {
    /// Neither of the others: the body without a coding.
    Identity,
    /// gzip, but not Brotli.
    Gzip,
    /// gzip and Brotli.
    GzipAndBrotli,
}

impl Codings {
    /// Returns the class of a caller with these lines of the field.
    pub fn of<'l>(lines: impl Iterator<Item = &'l [u8]>) -> Self {
        let (mut gzip, mut brotli, mut any) = (None, None, false);
        for item in lines.flat_map(|line| line.split(|&byte| byte == b',')) {
            let mut parts = item.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
            let coding = parts.next().unwrap_or_default();
            let is_accepted = parts.all(|parameter| !is_zero(parameter));
            match coding.to_ascii_lowercase().as_slice() {
                b"gzip" | b"x-gzip" => gzip = Some(is_accepted),
                b"br" => brotli = Some(is_accepted),
                b"*" => any = is_accepted,
                _ => {}
            }
        }
        match (gzip.unwrap_or(any), brotli.unwrap_or(any)) {
            (true, true) => Self::GzipAndBrotli,
            (true, false) => Self::Gzip,
            (false, _) => Self::Identity,
        }
    }

    /// Returns the value of the field that the upstream gets in place of the caller's.
    #[must_use]
    pub fn field(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::GzipAndBrotli => "gzip, br",
        }
    }
}

/// Whether a parameter is a weight of 0, or a malformed one.
fn is_zero(parameter: &[u8]) -> bool {
    let Some((b"q" | b"Q", [b'=', weight @ ..])) = parameter.split_at_checked(1) else {
        return false;
    };
    let weight = str::from_utf8(weight)
        .ok()
        .and_then(|it| it.parse::<f32>().ok());
    !weight.is_some_and(|weight| weight > 0.0 && weight <= 1.0)
}
