//! Requests to the control plane and the key manager, by the operations of their OpenAPI documents.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tollgate_control::{AnswerObserver, ObservedAnswer};
use tollgate_watch::{Bounds, CLASSES, Histogram, Page, class_of, families};

/// The operation of requests that are none of the documents': pages and their files, and unknown
/// paths.
const PAGE: &str = "page";

/// Counts requests.
pub(in crate::all) struct ControlRequests {
    /// The places of operations in the counts, by the route's path and the method.
    places: HashMap<String, HashMap<String, usize>>,
    /// The names of the operations; the first is [`PAGE`].
    operations: Vec<String>,
    counts: Mutex<Counts>,
}

struct Counts {
    /// By operation and by [`CLASSES`].
    answers: Vec<[u64; CLASSES.len()]>,
    seconds: Histogram,
}

impl ControlRequests {
    /// Creates counts for the operations of both documents.
    ///
    /// # Errors
    /// Fails if a document cannot be written as JSON.
    pub(in crate::all) fn new() -> anyhow::Result<Arc<Self>> {
        let documents = [
            serde_json::to_value(tollgate_control::document())?,
            serde_json::to_value(tollgate_oauth2::document())?,
        ];
        let mut operations = vec![PAGE.to_owned()];
        let mut places: HashMap<String, HashMap<String, usize>> = HashMap::new();
        let paths = documents.iter().filter_map(|it| it["paths"].as_object());
        for (path, methods) in paths.flatten() {
            let methods = methods.as_object().into_iter().flatten();
            for (method, operation) in methods {
                if let Value::String(name) = &operation["operationId"] {
                    let of_path = places.entry(path.clone()).or_default();
                    of_path.insert(method.to_ascii_uppercase(), operations.len());
                    operations.push(name.clone());
                }
            }
        }
        let counts = Counts {
            answers: vec![[0; CLASSES.len()]; operations.len()],
            seconds: Histogram::new(&Bounds::WHOLE),
        };
        Ok(Arc::new(Self {
            places,
            operations,
            counts: Mutex::new(counts),
        }))
    }

    /// Writes the families of the control plane's requests; operations without requests are left
    /// out.
    pub(super) fn write(&self, page: &mut Page) {
        let (answers, seconds) = {
            let counts = self.counts();
            (counts.answers.clone(), counts.seconds.clone())
        };
        let mut requests = page.family(&families::CONTROL_REQUESTS);
        for (operation, counts) in self.operations.iter().zip(answers) {
            for (class, count) in CLASSES.into_iter().zip(counts) {
                if count > 0 {
                    requests.number(&[operation, class], count);
                }
            }
        }
        let mut taken = page.family(&families::CONTROL_REQUEST_SECONDS);
        taken.histogram(&[], &seconds);
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AnswerObserver for ControlRequests {
    fn answered(&self, answer: ObservedAnswer<'_>) {
        let method = match answer.method.as_str() {
            "HEAD" => "GET",
            method => method,
        };
        let of_path = answer.path.and_then(|path| self.places.get(path));
        let place = of_path.and_then(|it| it.get(method)).copied().unwrap_or(0);
        let class = class_of(answer.status.map_or(0, |it| it.as_u16()));
        let took_us = u64::try_from(answer.took.as_micros()).unwrap_or(u64::MAX);
        let mut counts = self.counts();
        counts.answers[place][class] += 1;
        counts.seconds.add(took_us);
    }
}
