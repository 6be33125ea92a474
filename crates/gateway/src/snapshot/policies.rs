//! The programs of a version's policies, and the parameters of paths that their steps read.

use std::cell::{RefCell, RefMut};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use hashbrown::HashMap;
use tollgate_mediation::form::Forms;
use tollgate_mediation::name::Source;
use tollgate_mediation::parameters::Parameters;
use tollgate_mediation::program::{Compiled, Program};
use tollgate_mediation::run::body::Room;
use tollgate_mediation::scope::Scratch;
use tollgate_mediation::value::Value;
use tollgate_model::api::Method;
use tollgate_model::feed::ServedVersion;
use tollgate_model::path::Reading;
use tollgate_model::template::PathTemplate;

use crate::snapshot::soap_to_rest::Unusable;

/// The programs of a version.
#[derive(Debug)]
pub(crate) struct Policies {
    named: Arc<Named>,
    version: Arc<Program>,
    /// The programs of operations with one of their own, by method and path.
    operations: HashMap<(Method, String), Arc<Program>>,
}

/// What the steps of an operation's messages do.
#[derive(Debug)]
pub(crate) struct Steps {
    pub(crate) program: Arc<Program>,
    named: Arc<Named>,
    /// Method and path as configured, such as `POST /orders/{id}`; empty in a SOAP service.
    operation: String,
    parameters: Parameters,
}

/// A version as its steps see it.
#[derive(Debug)]
struct Named {
    api: String,
    version: String,
    /// The version's path at the gateway.
    public: String,
    /// The digits of the revision's id, if steps change the bodies of responses.
    revision: Option<String>,
    /// How its paths may be read.
    reading: Reading,
}

/// Memory of the steps of a worker's messages, reused for each.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) scratch: Scratch,
    pub(crate) room: Room,
    /// A body without its content coding.
    pub(crate) decoded: Vec<u8>,
}

/// The memory while the steps of a message with a whole body run. Frees at its end what a large
/// body has taken.
#[derive(Debug)]
pub(crate) struct BodyMemory<'w>(RefMut<'w, Memory>);

impl Memory {
    /// Borrows the memory for a whole body.
    pub(crate) fn for_body(memory: &RefCell<Self>) -> BodyMemory<'_> {
        BodyMemory(memory.borrow_mut())
    }
}

impl Drop for BodyMemory<'_> {
    fn drop(&mut self) {
        self.0.room.reset();
        self.0.scratch.reset();
        self.0.decoded.clear();
        self.0.decoded.shrink_to(DECODED_BYTES_MAX);
    }
}

impl Deref for BodyMemory<'_> {
    type Target = Memory;
    fn deref(&self) -> &Memory {
        &self.0
    }
}

impl DerefMut for BodyMemory<'_> {
    fn deref_mut(&mut self) -> &mut Memory {
        &mut self.0
    }
}

/// Memory that is kept for decoded bodies.
const DECODED_BYTES_MAX: usize = 256 * 1024;

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
            reading: served.reading,
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
            parameters: Parameters::default(),
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
            parameters: Parameters::new(path),
        })
    }
}

impl Steps {
    /// The version's path at the gateway.
    pub(crate) fn public(&self) -> &str {
        &self.named.public
    }

    /// How paths of the version may be read.
    pub(crate) fn reading(&self) -> Reading {
        self.named.reading
    }

    /// Whether steps read bodies of responses, for some calls at least.
    pub(crate) fn reads_answers(&self) -> bool {
        self.named.revision.is_some() && self.program.reads_response_body()
    }

    /// What steps do with bodies; that of a request is so far as the caller sent it.
    pub(crate) fn forms(&self) -> Forms<'_> {
        Forms {
            revision: self.named.revision.as_deref(),
            reads_answers: self.reads_answers(),
            is_changed: false,
            is_decoded: false,
        }
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

    /// The parameters of the operation's path.
    pub(crate) fn parameters(&self) -> &Parameters {
        &self.parameters
    }
}
