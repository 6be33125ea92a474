//! The parameters of an operation's path, as steps read them.

use tollgate_model::pattern::{Pattern, SegmentKey, segment_keys};
use tollgate_model::template::PathTemplate;

use crate::scope::Scratch;
use crate::value::Value;

/// Where the parameters of a path are.
#[derive(Debug, Default)]
pub struct Parameters(Vec<Parameter>);

#[derive(Debug)]
struct Parameter {
    name: Box<str>,
    /// The index of its segment.
    segment: usize,
    extent: Extent,
}

/// What of a path is a parameter.
#[derive(Debug)]
enum Extent {
    /// The whole segment.
    Segment,
    /// A part of the segment: between which of its literals, by the number of the first.
    Part(Pattern, usize),
    /// The segment and all that follows.
    Rest,
}

impl Parameters {
    /// Returns those of a path template.
    #[must_use]
    pub fn new(path: &PathTemplate) -> Self {
        let keys = segment_keys(path, <[u8]>::to_vec);
        let segments = path.segments().iter().zip(keys).enumerate();
        let parameters = segments.flat_map(|(segment, (of, key))| {
            let names = of.parameters().enumerate();
            let names = names.map(move |(position, name)| Parameter {
                name: name.into(),
                segment,
                extent: match &key {
                    SegmentKey::Mixed(pattern) => Extent::Part(pattern.clone(), position),
                    SegmentKey::Literal(_) | SegmentKey::Parameter => Extent::Segment,
                    SegmentKey::Rest(_) => Extent::Rest,
                },
            });
            names.collect::<Vec<_>>()
        });
        Self(parameters.collect())
    }

    /// Returns the value of a parameter in a path below the version: decoded, or as sent if it is
    /// the rest of the path.
    pub fn value<'m>(&self, name: &str, path: &'m [u8], scratch: &'m Scratch) -> Value<'m> {
        scratch.spend_read(path.len());
        let Some(parameter) = self.0.iter().find(|it| *it.name == *name) else {
            return Value::Absent;
        };
        match (parameter.find(path), &parameter.extent) {
            (Some(sent), Extent::Rest) => Value::from_bytes(sent),
            (Some(sent), _) => scratch.decode(sent, false),
            (None, _) => Value::Absent,
        }
    }
}

impl Parameter {
    /// Returns its part of a path below the version. A rest has its slashes, and is empty if
    /// nothing is left of the path.
    fn find<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        let path = path.strip_prefix(b"/").unwrap_or(path);
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let mut begins = std::iter::once(0).chain(slashes.map(|(slash, _)| slash + 1));
        let begin = begins.nth(self.segment);
        if let Extent::Rest = self.extent {
            return Some(begin.map_or(&[], |begin| &path[begin..]));
        }
        let segment = path[begin?..].split(|&byte| byte == b'/').next()?;
        let Extent::Part(pattern, position) = &self.extent else {
            return Some(segment);
        };
        let literals = pattern.literals_in(segment)?;
        let (before, after) = (literals.get(*position)?, literals.get(position + 1)?);
        segment.get(before.end..after.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the values of parameters in a path.
    fn values<const N: usize>(template: &str, sent: &str, names: [&str; N]) -> [Option<String>; N] {
        let parameters = Parameters::new(&PathTemplate::parse(template).unwrap());
        let scratch = Scratch::default();
        names.map(
            |name| match parameters.value(name, sent.as_bytes(), &scratch) {
                Value::Text(text) => Some(text.to_owned()),
                _ => None,
            },
        )
    }

    #[test]
    fn parameters_of_whole_and_mixed_segments_are_found() {
        let (template, sent) = ("/pets/{pet}/{from}-{to}.json", "/pets/a%2Fb/1-2-3.json");
        let found = values(template, sent, ["pet", "from", "to", "other"]);
        assert_eq!(
            found.map(Option::unwrap_or_default),
            ["a/b", "1", "2-3", ""]
        );
    }

    #[test]
    fn a_rest_is_as_sent() {
        let rows = [
            ("/pets/1", ""),
            ("/pets/1/", ""),
            ("/pets/1/a%2Fb", "a%2Fb"),
            ("/pets/1//a/b//", "/a/b//"),
        ];
        for (sent, rest) in rows {
            let found = values("/pets/{pet}/{rest*}", sent, ["pet", "rest"]);
            assert_eq!(
                found,
                [Some("1".to_owned()), Some(rest.to_owned())],
                "{sent}"
            );
        }
    }
}
