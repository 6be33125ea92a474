//! `Cache-Control` of responses and requests (RFC 9111, section 5.2).

#[cfg(test)]
mod tests;

/// Maximum of a number of seconds (RFC 9111, section 1.2.2).
pub const SECONDS_MAX: u32 = 1 << 31;

/// The directives of a message. Those that name fields (`no-cache="set-cookie"`) count as if they
/// named none, which is stricter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Directives {
    /// `no-store`
    pub no_store: bool,
    /// `no-cache`
    pub no_cache: bool,
    /// `private`
    pub private: bool,
    /// `public`
    pub public: bool,
    /// `must-revalidate`, or `proxy-revalidate`, which is its form for shared caches.
    pub must_revalidate: bool,
    /// `only-if-cached`
    pub only_if_cached: bool,
    /// `max-age` in seconds.
    pub max_age: Option<u32>,
    /// `s-maxage` in seconds.
    pub s_maxage: Option<u32>,
    /// `stale-while-revalidate` in seconds (RFC 5861, section 3).
    pub stale_while_revalidate: Option<u32>,
    /// `stale-if-error` in seconds (RFC 5861, section 4).
    pub stale_if_error: Option<u32>,
}

impl Directives {
    /// Reads the lines of the field. Unknown directives are ignored. If a number of seconds is
    /// malformed or appears with two values, it is 0: the response is stale then.
    pub fn read<'l>(lines: impl Iterator<Item = &'l [u8]>) -> Self {
        let mut directives = Self::default();
        for line in lines {
            let mut rest = line;
            while let Some((name, value)) = next(&mut rest) {
                directives.set(name, value);
            }
        }
        directives
    }

    fn set(&mut self, name: &[u8], value: Option<&[u8]>) {
        let is = |of: &str| name.eq_ignore_ascii_case(of.as_bytes());
        let flags = [
            ("no-store", &mut self.no_store),
            ("no-cache", &mut self.no_cache),
            ("private", &mut self.private),
            ("public", &mut self.public),
            ("only-if-cached", &mut self.only_if_cached),
        ];
        for (of, flag) in flags {
            *flag |= is(of);
        }
        self.must_revalidate |= is("must-revalidate") || is("proxy-revalidate");
        let times = [
            ("max-age", &mut self.max_age),
            ("s-maxage", &mut self.s_maxage),
            ("stale-while-revalidate", &mut self.stale_while_revalidate),
            ("stale-if-error", &mut self.stale_if_error),
        ];
        for (of, time) in times {
            if is(of) {
                let seconds = value.and_then(seconds).unwrap_or(0);
                *time = Some(time.map_or(seconds, |before| match before == seconds {
                    true => seconds,
                    false => 0,
                }));
            }
        }
    }
}

/// Parses delta-seconds (RFC 9111, section 1.2.2); `None` unless they are all digits.
#[must_use]
pub fn seconds(text: &[u8]) -> Option<u32> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u32, |seconds, byte| {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
        let next = seconds.checked_mul(10).and_then(|it| it.checked_add(digit));
        Some(next.map_or(SECONDS_MAX, |it| it.min(SECONDS_MAX)))
    })
}

/// Takes the next directive and its value, without the quotes, from a line.
fn next<'l>(rest: &mut &'l [u8]) -> Option<(&'l [u8], Option<&'l [u8]>)> {
    let start = rest.iter().position(|byte| !b" \t,".contains(byte))?;
    let line = &rest[start..];
    let end = line.iter().position(|byte| b"=, \t".contains(byte));
    let (name, after) = line.split_at(end.unwrap_or(line.len()));
    let Some(value) = after.strip_prefix(b"=") else {
        *rest = after;
        return Some((name, None));
    };
    let (value, after) = match value.strip_prefix(b"\"") {
        // A value of interest has no escapes; a quote that is not closed takes the rest.
        Some(quoted) => split(quoted, quoted.iter().position(|&byte| byte == b'"'), 1),
        None => split(
            value,
            value.iter().position(|byte| b", \t".contains(byte)),
            0,
        ),
    };
    *rest = after;
    Some((name, Some(value)))
}

fn split(bytes: &[u8], at: Option<usize>, skipped: usize) -> (&[u8], &[u8]) {
    let (value, after) = bytes.split_at(at.unwrap_or(bytes.len()));
    (value, after.get(skipped..).unwrap_or_default())
}
