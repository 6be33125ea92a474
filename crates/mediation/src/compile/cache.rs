//! The steps of operations with a cache: which of them run once for a stored response, and which on
//! every call.

use tollgate_model::fault::Fault;
use tollgate_model::policies::{Cache, Combine, OperationPolicies, Policies};

use super::kept;
use crate::name::{Name, Source};
use crate::program::{Program, Step};

/// Returns the cache of the operations of an override; none if only other methods than `GET` have
/// it.
pub(super) fn of_override<'p>(
    policies: &'p Policies,
    it: &'p OperationPolicies,
) -> Option<&'p Cache> {
    let inherited = policies
        .cache
        .as_ref()
        .filter(|_| it.mode == Combine::Append);
    let cache = it.cache.as_ref().or(inherited);
    let mut names = it.operations.iter();
    let has_get = names.any(|name| name.starts_with("GET "));
    cache.filter(|cache| cache.enabled && has_get)
}

/// Whether the steps of the version run for an operation with a cache.
pub(super) fn is_of_version(policies: &Policies) -> bool {
    let mut overrides = policies.operations.iter();
    policies.cache.as_ref().is_some_and(|cache| cache.enabled)
        || overrides.any(|it| it.mode == Combine::Append && of_override(policies, it).is_some())
}

/// Returns the fault of a step of requests if its outcome differs with each call: no other call
/// would ever get the response. A response that the step itself gives is not stored.
pub(super) fn request_fault(step: &Step, at: &str) -> Option<Fault> {
    let mut reads = step.reads().filter(|_| !step.responds());
    let name = reads.find(|name| matches!(name.source, Source::RequestId | Source::Now))?;
    let detail = format!("it reads {name}, which differs with each call: no response would match");
    Some(Fault::new(at, "cache.step", detail))
}

/// Splits the steps of responses into those that run before a response is stored and those that run
/// on every response.
pub(super) fn split(program: &mut Program) {
    let steps = &program.response;
    let is_of_call = |name: &Name| {
        matches!(
            name.source,
            Source::RequestId | Source::Address | Source::Now
        )
    };
    let first = steps.iter().position(|step| step.reads().any(is_of_call));
    let mut stored = first.unwrap_or(steps.len());
    // A variable that they set does not outlive the call.
    while let Some(earlier) = steps[..stored].iter().position(|step| {
        let is_set = |name: &Name| step.sets() == Some(&*name.key);
        let mut reads = steps[stored..].iter().flat_map(Step::reads);
        reads.any(|name| name.source == Source::Variable && is_set(name))
    }) {
        stored = earlier;
    }
    program.keyed = kept(steps[..stored].iter());
    program.stored = stored;
}

/// Returns the fault of a step that would have to read the body of every response, stored or not.
pub(super) fn response_fault(program: &Program, at: &str) -> Option<Fault> {
    let mut live = program.response[program.stored..].iter();
    live.any(Step::needs_body).then(|| {
        let detail = "a step that reads the body runs after one that reads request.id, \
                      request.address or now, or after a variable that such a step reads: \
                      responses are stored before these steps";
        Fault::new(format!("{at}/response"), "cache.step", detail)
    })
}
