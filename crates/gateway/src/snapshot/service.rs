//! The SOAP service of a version, indexed for reading: its operations by dispatch, its documents by
//! query.

use std::sync::Arc;

use hashbrown::HashMap;
use tollgate_counters::Counters;
use tollgate_model::feed::{ServedDocument, ServedSoap, ServedSoapOperation};
use tollgate_soap::dispatch::{Callable, Dispatch};

use crate::snapshot::mediation::Mediation;
use crate::snapshot::operations::Operation;
use crate::snapshot::policies::Steps;

/// A SOAP service.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) dispatch: Dispatch,
    operations: Vec<Operation>,
    /// The operation that all other calls are counted as.
    unknown: Operation,
    pub(crate) refuses_unknown: bool,
    pub(crate) prefix_bytes_max: usize,
    documents: HashMap<String, ServedDocument>,
}

impl Service {
    pub(crate) fn new(
        served: &ServedSoap,
        steps: Option<&Arc<Steps>>,
        counters: &Counters,
    ) -> Self {
        let mediation = Arc::new(Mediation::soap().with_steps(steps.cloned()));
        let operation = |id, limits: &[_], access: &_| {
            Operation::new(id, limits, access, Arc::clone(&mediation), counters)
        };
        let operations = served.operations.iter();
        let operations =
            operations.map(|it| operation(it.id, &it.limits, &it.access).weighing(it.weight));
        let documents = served.documents.iter();
        Self {
            dispatch: Dispatch::new(served.operations.iter().map(callable)),
            operations: operations.collect(),
            unknown: operation(
                served.unknown,
                &served.unknown_limits,
                &served.unknown_access,
            ),
            refuses_unknown: served.refuses_unknown,
            prefix_bytes_max: usize::try_from(served.prefix_bytes_max).unwrap_or(usize::MAX),
            documents: documents
                .map(|document| (document.query.clone(), document.clone()))
                .collect(),
        }
    }

    /// Its operations, and the one that all other calls are counted as.
    pub(crate) fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.operations.iter().chain([&self.unknown])
    }

    /// Returns an operation by the index from `dispatch`.
    pub(crate) fn operation(&self, found: Option<usize>) -> &Operation {
        found.map_or(&self.unknown, |index| &self.operations[index])
    }

    /// Returns the document for a query, ignoring case.
    pub(crate) fn document(&self, query: &[u8]) -> Option<&ServedDocument> {
        let query = std::str::from_utf8(query).ok()?.to_ascii_lowercase();
        self.documents.get(&query)
    }
}

fn callable(operation: &ServedSoapOperation) -> Callable<'_> {
    let body = operation.body.as_ref();
    Callable {
        body: body.map(|(namespace, local)| (namespace.as_str(), local.as_str())),
        action: &operation.action,
    }
}
