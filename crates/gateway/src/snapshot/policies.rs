//! The programs of a version's policies, and the parameters of paths that their steps read.

use std::sync::Arc;

use hashbrown::HashMap;
use tollgate_mediation::name::Source;
use tollgate_mediation::program::{Compiled, Program};
use tollgate_mediation::run::body::Room;
use tollgate_mediation::scope::Scratch;
use tollgate_mediation::value::Value;
use tollgate_model::api::Method;
use tollgate_model::feed::ServedVersion;
use tollgate_model::pattern::{Pattern, SegmentKey, segment_keys};
use tollgate_model::template::PathTemplate;

use crate::snapshot::soap_to_rest::Unusable;

/// The programs of a version.
#[derive(Debug)]
pub(crate) struct Policies {
    named: Arc<Named>,
    version: Arc<Program>,
    /// The programs of operations with another one, by method and path.
    operations: HashMap<(Method, String), Arc<Program>>,
}

/// What the steps of an operation's messages do.
#[derive(Debug)]
pub(crate) struct Steps {
    pub(crate) program: Arc<Program>,
    named: Arc<Named>,
    /// Method and path as configured, such as `POST /orders/{id}`; empty in a SOAP service.
    operation: String,
    parameters: Vec<Parameter>,
}

/// A version as its steps see it.
#[derive(Debug, Default)]
struct Named {
    api: String,
    version: String,
    /// The version's path at the gateway.
    public: String,
    /// The digits of the revision's id, if steps change the bodies of responses.
    revision: Option<String>,
}

/// Memory of the steps of a worker's messages, reused for each.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) scratch: Scratch,
    pub(crate) room: Room,
    /// A body without its content coding.
    pub(crate) decoded: Vec<u8>,
}

impl Memory {
    /// Frees the memory that a message of this size took, if that is too much to keep.
    pub(crate) fn shrink(&mut self) {
        self.decoded.clear();
        self.decoded.shrink_to(DECODED_BYTES_MAX);
    }
}

/// Memory that is kept for decoded bodies.
const DECODED_BYTES_MAX: usize = 256 * 1024;

/// A parameter of a path.
#[derive(Debug)]
struct Parameter {
    name: Box<str>,
    /// The index of its segment.
    segment: usize,
    /// The literals around it and its position among the parameters of the segment, unless it is
    /// the whole segment.
    within: Option<(Pattern, usize)>,
}

impl Policies {
    /// Loads the programs; `None` without steps.
    pub(crate) fn load(
        served: &ServedVersion,
        public_path: &str,
    ) -> Result<Option<Self>, Unusable> {
        let compiled = Compiled::from_bytes(&served.steps).map_err(|_| Unusable::Steps)?;
        let Some(compiled) = compiled else {
            return Ok(None);
        };
        let programs: Vec<_> = compiled.programs.into_iter().map(Arc::new).collect();
        let program = |index: usize| programs.get(index).cloned().ok_or(Unusable::Steps);
        let operations = compiled.of_operations.into_iter();
        let operations =
            operations.map(|(method, path, index)| Ok(((method, path), program(index)?)));
        let changes_answers = programs.iter().any(|it| it.reads_response_body());
        let revision = served.revision.to_string();
        let digits = revision.split('_').next_back().map(str::to_owned);
        let named = Named {
            api: served.api_name.clone(),
            version: served.name.clone(),
            public: format!("{public_path}{}/{}", served.context, served.name),
            revision: digits.filter(|_| changes_answers),
        };
        Ok(Some(Self {
            named: Arc::new(named),
            version: program(0)?,
            operations: operations.collect::<Result<_, Unusable>>()?,
        }))
    }

    /// The steps of messages without an operation of their own; `None` if there are none.
    pub(crate) fn of_version(&self) -> Option<Steps> {
        let program = Arc::clone(&self.version);
        (!program.is_empty()).then(|| Steps {
            program,
            named: Arc::clone(&self.named),
            operation: String::new(),
            parameters: Vec::new(),
        })
    }

    /// The steps of an operation; `None` if there are none, and entity tags need no change either.
    pub(crate) fn of_operation(&self, method: Method, path: &PathTemplate) -> Option<Steps> {
        let key = (method, path.to_string());
        let program = Arc::clone(self.operations.get(&key).unwrap_or(&self.version));
        let is_needed = !program.is_empty() || self.named.revision.is_some();
        is_needed.then(|| Steps {
            program,
            named: Arc::clone(&self.named),
            operation: format!("{} {path}", method.word()),
            parameters: parameters(path),
        })
    }
}

impl Steps {
    /// The version's path at the gateway.
    pub(crate) fn public(&self) -> &str {
        &self.named.public
    }

    /// Whether steps read bodies of responses, for some calls at least.
    pub(crate) fn reads_answers(&self) -> bool {
        self.named.revision.is_some() && self.program.reads_response_body()
    }

    /// The digits of the revision's id, if steps of the version change the bodies of responses: its
    /// entity tags then end in them.
    pub(crate) fn revision(&self) -> Option<&str> {
        self.named.revision.as_deref()
    }

    /// The value of a name that belongs to the API, or the time when the request arrived.
    pub(crate) fn value(&self, source: Source, began_us: i64) -> Value<'_> {
        match source {
            Source::ApiName => Value::Text(&self.named.api),
            Source::ApiVersion => Value::Text(&self.named.version),
            Source::Operation if !self.operation.is_empty() => Value::Text(&self.operation),
            Source::Now => Value::Int(began_us.div_euclid(1_000_000)),
            _ => Value::Absent,
        }
    }

    /// The value of a parameter in a path below the version, as sent.
    pub(crate) fn parameter<'p>(&self, name: &str, path: &'p [u8]) -> Option<&'p [u8]> {
        let mut parameters = self.parameters.iter();
        let parameter = parameters.find(|it| *it.name == *name)?;
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

fn parameters(path: &PathTemplate) -> Vec<Parameter> {
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
    parameters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_whole_and_mixed_segments_are_found() {
        let path = PathTemplate::parse("/pets/{pet}/{from}-{to}.json").unwrap();
        let steps = Steps {
            program: Arc::default(),
            named: Arc::default(),
            operation: String::new(),
            parameters: parameters(&path),
        };
        let sent = b"/pets/a%2Fb/1-2-3.json";
        assert_eq!(steps.parameter("pet", sent), Some(&b"a%2Fb"[..]));
        assert_eq!(steps.parameter("from", sent), Some(&b"1"[..]));
        assert_eq!(steps.parameter("to", sent), Some(&b"2-3"[..]));
        assert_eq!(steps.parameter("other", sent), None);
    }
}
