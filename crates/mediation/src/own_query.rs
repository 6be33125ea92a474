//! The query of an upstream's address, which precedes that of each call.
//!
//! Callers do not replace its parameters where back ends read a query in different ways: with `&`
//! or `;` between parameters, names by case or not, `a[]` as more of `a` (Rack, PHP), and `a.b` as
//! `a_b` (PHP).

/// The query of an upstream's address, with the names of its parameters.
#[derive(Debug)]
pub struct OwnQuery {
    text: Box<[u8]>,
    /// As [`fold`] returns them.
    names: Vec<Box<[u8]>>,
}

impl OwnQuery {
    /// Prepares a query without its `?`; `None` for an empty one.
    #[must_use]
    pub fn new(query: &str) -> Option<Self> {
        let pairs = query.as_bytes().split(is_separator);
        let pairs = pairs.filter(|pair| !pair.is_empty());
        let names = pairs.map(|pair| fold(name(pair)).collect()).collect();
        (!query.is_empty()).then(|| Self {
            text: query.as_bytes().into(),
            names,
        })
    }

    /// Appends the path of a call, this query, and the parameters of the call. These stay as sent,
    /// except for those with a name of the address, which are left out.
    pub fn push_target(&self, out: &mut Vec<u8>, target: &[u8]) {
        let path = target.split(|&byte| byte == b'?').next();
        let path = path.unwrap_or_default();
        out.extend_from_slice(path);
        out.push(b'?');
        out.extend_from_slice(&self.text);
        let mut rest = target.get(path.len() + 1..).unwrap_or_default();
        // What is left out must not join its neighbours where `;` separates nothing.
        let mut separator = b'&';
        while !rest.is_empty() {
            let end = rest.iter().position(is_separator).unwrap_or(rest.len());
            let (pair, after) = rest.split_at(end);
            let is_left_out = pair.is_empty() || self.has(name(pair));
            if !is_left_out {
                out.push(separator);
                out.extend_from_slice(pair);
            }
            let Some((&next, after)) = after.split_first() else {
                return;
            };
            separator = match is_left_out && separator == b'&' {
                true => b'&',
                false => next,
            };
            rest = after;
        }
    }

    fn has(&self, name: &[u8]) -> bool {
        let mut names = self.names.iter();
        names.any(|own| fold(name).eq(own.iter().copied()))
    }
}

fn is_separator(byte: &u8) -> bool {
    matches!(byte, b'&' | b';')
}

/// Returns the encoded name of a parameter.
fn name(pair: &[u8]) -> &[u8] {
    pair.split(|&byte| byte == b'=').next().unwrap_or_default()
}

/// Returns an encoded name in a form that is the same for names that a back end could take for one.
fn fold(raw: &[u8]) -> impl Iterator<Item = u8> {
    let decoded = decode(raw).skip_while(|&byte| byte == b' ');
    let decoded = decoded.take_while(|&byte| byte != b'[');
    decoded.map(|byte| match byte {
        b' ' | b'.' => b'_',
        byte => byte.to_ascii_lowercase(),
    })
}

/// Returns the bytes of a percent-encoded text, with `+` as a space. A `%` that encodes nothing is
/// itself, as many back ends read it.
fn decode(raw: &[u8]) -> impl Iterator<Item = u8> {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let mut rest = raw;
    std::iter::from_fn(move || {
        let (&byte, after) = rest.split_first()?;
        let code = digit(after.first()).zip(digit(after.get(1)));
        let code = code.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        rest = after;
        Some(match (byte, code) {
            (b'%', Some(code)) => {
                rest = &after[2..];
                code
            }
            (b'+', _) => b' ',
            _ => byte,
        })
    })
}

#[cfg(test)]
mod tests;
