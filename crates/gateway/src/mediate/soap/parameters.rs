//! The parameters of a request outside its body: values of its path, query and head, decoded.

use std::borrow::Cow;
use std::ops::Range;

use tollgate_soap::to_xml;

use crate::refusal::Invalid;
use crate::snapshot::soap_to_rest::{At, Resource};

/// What is kept of a request after its head is dropped.
#[derive(Debug, Default)]
pub(crate) struct ParameterValues {
    /// The values, one after the other.
    text: String,
    /// The index of each parameter of the resource, and its place in the text.
    values: Vec<(usize, Range<usize>)>,
    /// Values that fit no parameter.
    pub(super) faults: Vec<Invalid>,
}

/// Reads the values of a resource's parameters: `target` is the path below the version with its
/// query, `fields` are names and values of the head. Any other query key is a fault, since a
/// mistyped key would silently change the request.
pub(super) fn read_values<'a>(
    resource: &Resource,
    target: &[u8],
    fields: impl Iterator<Item = (&'a [u8], &'a [u8])>,
) -> ParameterValues {
    let mut values = ParameterValues::default();
    let end = memchr::memchr(b'?', target).unwrap_or(target.len());
    let path = target[..end].strip_prefix(b"/").unwrap_or(&target[..end]);
    for (index, segment) in path.split(|&byte| byte == b'/').enumerate() {
        if let Some(parameter) = find_parameter(resource, At::Segment(index), |_| true) {
            values.push(resource, parameter, decoded(segment, false));
        }
    }
    let query = target.get(end + 1..).unwrap_or_default();
    for pair in query
        .split(|&byte| byte == b'&')
        .filter(|it| !it.is_empty())
    {
        let middle = memchr::memchr(b'=', pair).unwrap_or(pair.len());
        let key = decoded(&pair[..middle], true);
        let value = pair.get(middle + 1..).unwrap_or_default();
        let known = key.as_deref();
        let known = known.and_then(|key| find_parameter(resource, At::Query, |name| name == key));
        match known {
            Some(parameter) => values.push(resource, parameter, decoded(value, true)),
            None => values.unknown(key.as_deref().unwrap_or_default()),
        }
    }
    let has_fields = resource.parameters.iter().any(|it| it.at == At::Header);
    for (name, value) in fields.filter(|_| has_fields) {
        let is_it = |of: &str| of.as_bytes().eq_ignore_ascii_case(name);
        if let Some(parameter) = find_parameter(resource, At::Header, is_it) {
            let text = std::str::from_utf8(value).ok();
            values.push(resource, parameter, text.map(Cow::Borrowed));
        }
    }
    values
}

fn find_parameter(resource: &Resource, at: At, is_it: impl Fn(&str) -> bool) -> Option<usize> {
    let mut parameters = resource.parameters.iter();
    parameters.position(|parameter| parameter.at == at && is_it(&parameter.name))
}

impl ParameterValues {
    /// The values as the transcoder expects them.
    pub(super) fn parameters<'a>(&'a self, resource: &'a Resource) -> Vec<to_xml::Parameter<'a>> {
        let values = self.values.iter();
        let parameter = |(index, range): &(usize, Range<usize>)| {
            let parameter = &resource.parameters[*index];
            to_xml::Parameter {
                path: &parameter.path,
                text: &self.text[range.clone()],
                is_array: parameter.is_array,
            }
        };
        values.map(parameter).collect()
    }

    /// Adds a value, or a fault if it is not text.
    fn push(&mut self, resource: &Resource, index: usize, text: Option<Cow<'_, str>>) {
        let Some(text) = text else {
            let parameter = &resource.parameters[index];
            let fault = Invalid::at(&parameter.pointer, "is not text in UTF-8");
            self.faults
                .push(fault.in_parameter(parameter.at.word(), &parameter.name));
            return;
        };
        let start = self.text.len();
        self.text.push_str(&text);
        self.values.push((index, start..self.text.len()));
    }

    fn unknown(&mut self, key: &str) {
        let mut pointer = String::new();
        tollgate_json::tape::push_token(&mut pointer, key);
        let fault = Invalid::at(&pointer, "is not known");
        self.faults.push(fault.in_parameter(At::Query.word(), key));
    }
}

/// Decodes percent-encoding (RFC 3986, section 2.1) and, in a query, plus signs as spaces, as forms
/// encode them. `None` if malformed or not UTF-8.
fn decoded(bytes: &[u8], is_query: bool) -> Option<Cow<'_, str>> {
    let is_plain = |&byte: &u8| byte != b'%' && !(is_query && byte == b'+');
    if bytes.iter().all(is_plain) {
        return std::str::from_utf8(bytes).ok().map(Cow::Borrowed);
    }
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let mut text = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        text.push(match byte {
            b'%' => {
                let (high, low) = (digit(after.first())?, digit(after.get(1))?);
                rest = &after[2..];
                u8::try_from(high * 16 + low).ok()?
            }
            b'+' if is_query => b' ',
            _ => byte,
        });
    }
    String::from_utf8(text).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests;
