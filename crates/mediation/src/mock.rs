//! `mock`: responds with an example of the operation's document.

use serde::{Deserialize, Serialize};
use tollgate_model::api::Method;
use tollgate_model::template::PathTemplate;

use crate::edits::Edits;
use crate::expression::Expression;
use crate::message::Subject;
use crate::outcome::Given;
use crate::value::Value;

/// The examples of an API's document.
pub trait Examples {
    /// Returns the example of an operation's response with a status, by its name or the first.
    fn find(
        &self,
        method: Method,
        path: &PathTemplate,
        status: u16,
        name: Option<&str>,
    ) -> Option<Example>;
}

/// An example of a response.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// Its media type; empty without a body.
    pub media_type: Box<str>,
    /// Its body.
    pub body: Box<str>,
}

/// No document.
#[derive(Debug, Clone, Copy)]
pub struct NoExamples;

impl Examples for NoExamples {
    fn find(&self, _: Method, _: &PathTemplate, _: u16, _: Option<&str>) -> Option<Example> {
        None
    }
}

/// A step with its examples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mock {
    pub(crate) status: u16,
    /// `api.operation`
    pub(crate) operation: Expression,
    /// The examples by the names of their operations, sorted.
    pub(crate) examples: Vec<(Box<str>, Example)>,
}

impl Mock {
    /// Drops the examples of other operations.
    pub(crate) fn keep(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.examples.retain(|(operation, _)| is_kept(operation));
    }

    /// Returns the response of the call's operation.
    pub(crate) fn give<'m>(&'m self, subject: Subject<'_, 'm>, edits: &Edits<'m>) -> Option<Given> {
        let scope = subject.edited(edits);
        let Value::Text(operation) = self.operation.evaluate(&scope, subject.scratch) else {
            return None;
        };
        let place = self.examples.binary_search_by(|it| (*it.0).cmp(operation));
        let (_, example) = &self.examples[place.ok()?];
        let media_type = example.media_type.as_bytes().to_vec();
        let has_body = !media_type.is_empty();
        Some(Given {
            status: self.status,
            fields: has_body
                .then(|| ("content-type".to_owned(), media_type))
                .into_iter()
                .collect(),
            body: example.body.as_bytes().to_vec(),
            is_mock: true,
        })
    }
}
