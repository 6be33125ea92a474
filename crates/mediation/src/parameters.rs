//! The parameters of an operation's path, as steps read them.

use tollgate_model::pattern::{Pattern, SegmentKey, segment_keys};
use tollgate_model::template::PathTemplate;

/// Where the parameters of a path are.
#[derive(Debug, Default)]
pub struct Parameters(Vec<Parameter>);

#[derive(Debug)]
struct Parameter {
    name: Box<str>,
    /// The index of its segment.
    segment: usize,
    /// The literals around it and its position among the parameters of the segment, unless it is
    /// the whole segment.
    within: Option<(Pattern, usize)>,
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
                within: match &key {
                    SegmentKey::Mixed(pattern) => Some((pattern.clone(), position)),
                    SegmentKey::Literal(_) | SegmentKey::Parameter => None,
                },
            });
            names.collect::<Vec<_>>()
        });
        Self(parameters.collect())
    }

    /// Returns the value of a parameter in a path below the version, as sent.
    #[must_use]
    pub fn find<'p>(&self, name: &str, path: &'p [u8]) -> Option<&'p [u8]> {
        let parameter = self.0.iter().find(|it| *it.name == *name)?;
        let path = path.strip_prefix(b"/").unwrap_or(path);
        let segment = path.split(|&byte| byte == b'/').nth(parameter.segment)?;
        let Some((pattern, position)) = &parameter.within else {
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

    #[test]
    fn parameters_of_whole_and_mixed_segments_are_found() {
        let path = PathTemplate::parse("/pets/{pet}/{from}-{to}.json").unwrap();
        let parameters = Parameters::new(&path);
        let sent = b"/pets/a%2Fb/1-2-3.json";
        assert_eq!(parameters.find("pet", sent), Some(&b"a%2Fb"[..]));
        assert_eq!(parameters.find("from", sent), Some(&b"1"[..]));
        assert_eq!(parameters.find("to", sent), Some(&b"2-3"[..]));
        assert_eq!(parameters.find("other", sent), None);
    }
}
