//! The query of an upstream's address, which precedes that of each call.
//!
//! Callers do not replace its parameters where back ends read a query in different ways: with `&`
//! or `;` between parameters, names by case or not, `a[]` and `[a]` as more of `a` (Rack, PHP),
//! `a.b` and an unclosed `a[b` as `a_b`, a name up to its NUL (PHP), without controls, with
//! `%u0061` for `a` and without a `%` that encodes nothing (ASP).

/// The query of an upstream's address, with the names of its parameters.
#[derive(Debug)]
pub struct OwnQuery {
    text: Box<[u8]>,
    /// As [`readings`] returns them.
    names: Vec<Vec<u8>>,
}

impl OwnQuery {
    /// Prepares a query without its `?`; `None` for an empty one.
    #[must_use]
    pub fn new(query: &str) -> Option<Self> {
        let pairs = query.as_bytes().split(is_separator);
        let pairs = pairs.filter(|pair| !pair.is_empty());
        let names = pairs.flat_map(|pair| readings(name(pair))).collect();
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
        let of_call = target.get(path.len() + 1..);
        let mut rest = of_call.filter(|query| !query.is_empty());
        // What is left out must not join its neighbours where `;` separates nothing.
        let mut separator = b'&';
        while let Some(pairs) = rest {
            let end = pairs.iter().position(is_separator);
            let pair = &pairs[..end.unwrap_or(pairs.len())];
            let is_left_out = self.has(name(pair));
            if !is_left_out {
                out.push(separator);
                out.extend_from_slice(pair);
            }
            separator = match end {
                Some(end) if !is_left_out || separator != b'&' => pairs[end],
                _ => b'&',
            };
            rest = end.map(|end| &pairs[end + 1..]);
        }
    }

    fn has(&self, name: &[u8]) -> bool {
        let readings = readings(name);
        readings.iter().any(|reading| self.names.contains(reading))
    }
}

fn is_separator(byte: &u8) -> bool {
    matches!(byte, b'&' | b';')
}

/// Returns the encoded name of a parameter.
fn name(pair: &[u8]) -> &[u8] {
    pair.split(|&byte| byte == b'=').next().unwrap_or_default()
}

/// Returns the forms that back ends read an encoded name as: the text outside of brackets, and with
/// `[` as any other character.
fn readings(raw: &[u8]) -> [Vec<u8>; 2] {
    let decoded = decode(raw).skip_while(|&byte| byte == b' ');
    let decoded = decoded.take_while(|&byte| byte != 0);
    let whole: Vec<_> = decoded
        .filter(|&byte| !byte.is_ascii_control() && byte != b'%')
        .map(|byte| match byte {
            b' ' | b'.' => b'_',
            byte => byte.to_ascii_lowercase(),
        })
        .collect();
    let is_bracket = |byte: &u8| matches!(byte, b'[' | b']');
    let mut outside = whole.split(is_bracket).filter(|part| !part.is_empty());
    let base = outside.next().unwrap_or_default().to_vec();
    let whole = whole.iter().map(|&byte| match byte {
        b'[' => b'_',
        byte => byte,
    });
    [base, whole.collect()]
}

/// Returns the bytes of a percent-encoded text, with `+` as a space. A `%` that encodes nothing is
/// itself, as many back ends read it; characters of `%u` beyond a byte all become the same one.
fn decode(raw: &[u8]) -> impl Iterator<Item = u8> {
    let code = |digits: Option<&[u8]>| {
        let mut digits = digits?.iter();
        digits.try_fold(0, |code, &digit| {
            Some(code * 16 + char::from(digit).to_digit(16)?)
        })
    };
    let mut rest = raw;
    std::iter::from_fn(move || {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        if byte != b'%' {
            return Some(if byte == b'+' { b' ' } else { byte });
        }
        let is_wide = matches!(after.first(), Some(b'u' | b'U'));
        let digits = if is_wide { 1..5 } else { 0..2 };
        let Some(code) = code(after.get(digits.clone())) else {
            return Some(byte);
        };
        rest = &after[digits.end..];
        Some(u8::try_from(code).unwrap_or(u8::MAX))
    })
}

#[cfg(test)]
mod tests;
