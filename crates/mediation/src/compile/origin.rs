//! The origins of compiled steps: where each was written. Gateways do not need them.

use tollgate_model::policies::{Combine, Policies, Step};

/// The place where a step was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// JSON Pointer from the configuration, such as `/policies/operations/2/request/0`.
    pub pointer: String,
    /// The name of its policy.
    pub policy: &'static str,
}

/// The origins of a program's steps, in the order in which they run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins {
    /// Steps of requests.
    pub request: Vec<Origin>,
    /// Steps of responses.
    pub response: Vec<Origin>,
    /// Steps of the gateway's own refusals.
    pub error: Vec<Origin>,
}

impl Origins {
    /// Returns those of a program: of the version without an override, else of the override with
    /// this index.
    #[must_use]
    pub fn of_program(policies: &Policies, index: Option<usize>) -> Self {
        let lists = [&policies.request, &policies.response, &policies.error];
        let version = Self::of_lists(lists, "/policies");
        let own = index.and_then(|index| Some((index, policies.operations.get(index)?)));
        let Some((index, it)) = own else {
            return version;
        };
        let lists = [&it.request, &it.response, &it.error];
        let own = Self::of_lists(lists, &format!("/policies/operations/{index}"));
        match it.mode {
            Combine::Replace => own,
            Combine::Append => Self {
                request: [version.request, own.request].concat(),
                response: [own.response, version.response].concat(),
                error: [own.error, version.error].concat(),
            },
        }
    }

    fn of_lists(lists: [&Vec<Step>; 3], at: &str) -> Self {
        let [request, response, error] = lists;
        let list = |steps: &Vec<Step>, word: &str| {
            let steps = steps.iter().enumerate();
            let steps = steps.map(|(index, step)| Origin {
                pointer: format!("{at}/{word}/{index}"),
                policy: step.policy.word(),
            });
            steps.collect()
        };
        Self {
            request: list(request, "request"),
            response: list(response, "response"),
            error: list(error, "error"),
        }
    }
}
