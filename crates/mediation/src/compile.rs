//! Compiles the policies of a version, or returns all their faults.
//!
//! `step.rs` compiles one step, `cache.rs` judges those of operations with a cache, `origin.rs`
//! finds where a step was written, `headers.rs` knows the
//! header fields that no step may change.

mod body;
mod cache;
mod headers;
mod json;
mod media_type;
mod mock;
mod origin;
mod rewrite_path;
mod step;
#[cfg(test)]
mod tests;
mod xml;

use std::collections::{HashMap, HashSet};

use tollgate_model::api::{Configuration, Kind, Method};
use tollgate_model::fault::Fault;
use tollgate_model::path::Reading;
use tollgate_model::policies::{
    Combine, OperationPolicies, Policies, Policy, STEPS_MAX, Step as Written,
};
use tollgate_model::template::PathTemplate;

use crate::expression::compile_each_once;
use crate::mock::{Examples, NoExamples};
use crate::name::{Name, Source};
use crate::note::{self, Note};
use crate::program::{Compiled, Program, Step};
use headers::Headers;
pub use origin::{Origin, Origins};
use step::{Operation, Place, Steps};

/// Maximum number of entries under `operations`.
pub const OVERRIDES_MAX: usize = 1_000;
/// Maximum bytes of all patterns of a version, compiled.
const PATTERN_BYTES_MAX: usize = 16 << 20;

/// Compiles the policies of a configuration without a document in an API of this kind.
///
/// # Errors
/// All faults; fields are JSON Pointers from the configuration.
pub fn compile(configuration: &Configuration, kind: Kind) -> Result<Compiled, Vec<Fault>> {
    compile_with_examples(configuration, kind, &NoExamples)
}

/// Compiles the policies of a configuration in an API of this kind, with the examples of its
/// document, if the policies [need](Policies::needs_examples) them.
///
/// # Errors
/// Fails like [`compile`].
pub fn compile_with_examples(
    configuration: &Configuration,
    kind: Kind,
    examples: &dyn Examples,
) -> Result<Compiled, Vec<Fault>> {
    let compile = || compile_policies(configuration, kind, examples);
    compile_each_once(PATTERN_BYTES_MAX, compile)
}

/// Like [`compile_with_examples`], for a configuration that was judged when it was saved: without
/// bounds that earlier releases did not have.
///
/// # Errors
/// Fails like [`compile`].
pub fn compile_saved(
    configuration: &Configuration,
    kind: Kind,
    examples: &dyn Examples,
) -> Result<Compiled, Vec<Fault>> {
    let compile = || compile_policies(configuration, kind, examples);
    compile_each_once(usize::MAX, compile)
}

fn compile_policies(
    configuration: &Configuration,
    kind: Kind,
    examples: &dyn Examples,
) -> Result<Compiled, Vec<Fault>> {
    let policies = &configuration.policies;
    let mut compiler = Compiler {
        kind,
        reading: configuration.reading(),
        headers: Headers::new(configuration),
        variables: variables(policies),
        parameters: parameters(configuration),
        examples,
        faults: Vec::new(),
        notes: Vec::new(),
    };
    let lists = [&policies.request, &policies.response, &policies.error];
    let of_version = mock::of_version(configuration);
    let is_cached = cache::is_of_version(policies);
    let version = compiler.lists(lists, is_cached, &of_version, "/policies");
    let mut compiled = Compiled::default();
    let overrides = compiler.overrides(configuration, policies);
    for ((index, it), operations) in policies.operations.iter().enumerate().zip(overrides) {
        let lists = [&it.request, &it.response, &it.error];
        let at = format!("/policies/operations/{index}");
        let named = mock::named(configuration, &it.operations);
        let is_cached = cache::of_override(policies, it).is_some();
        let own = compiler.lists(lists, is_cached, &named, &at);
        let mut program = combine(&version, own, it.mode);
        program.keep_mocks(|name| it.operations.iter().any(|of| of == name));
        compiler.finish(&mut program, is_cached, &at);
        let position = compiled.programs.len() + 1;
        let of_operations = operations.into_iter();
        compiled
            .of_operations
            .extend(of_operations.map(|(method, path)| (method, path, position)));
        compiled.programs.push(program);
    }
    let mut version = version;
    let overridden = mock::overridden(policies);
    version.keep_mocks(|name| !overridden.contains(name));
    let of_version = policies.cache.as_ref();
    let is_cached = of_version.is_some_and(|cache| cache.enabled);
    compiler.finish(&mut version, is_cached, "/policies");
    compiled.programs.insert(0, version);
    compiled.notes = compiler.notes;
    compiled.notes.extend(note::on_rests(configuration));
    if compiler.faults.is_empty() {
        Ok(compiled)
    } else {
        Err(compiler.faults)
    }
}

/// Methods and paths of operations, by their names.
type Operations = HashMap<String, (Method, String)>;

struct Compiler<'c> {
    kind: Kind,
    reading: Reading,
    headers: Headers<'c>,
    /// The names of all variables, and of all parameters of paths.
    variables: HashSet<&'c str>,
    parameters: HashSet<&'c str>,
    examples: &'c dyn Examples,
    faults: Vec<Fault>,
    notes: Vec<Note>,
}

impl Compiler<'_> {
    /// Compiles the three lists of a version or an override.
    fn lists(
        &mut self,
        lists: [&Vec<Written>; 3],
        is_cached: bool,
        operations: &[Operation<'_>],
        at: &str,
    ) -> Program {
        let [request, response, error] = [Place::Request, Place::Response, Place::Error];
        let program = Program {
            request: self.list(lists[0], request, operations, at),
            response: self.list(lists[1], response, operations, at),
            error: self.list(lists[2], error, operations, at),
            ..Program::NONE
        };
        if is_cached {
            let steps = program.request.iter().enumerate();
            let faults = steps.filter_map(|(index, step)| {
                cache::request_fault(step, &format!("{at}/request/{index}"))
            });
            self.faults.extend(faults);
        }
        program
    }

    /// Checks the combined steps of operations, and finds what they keep of requests.
    fn finish(&mut self, program: &mut Program, is_cached: bool, at: &str) {
        self.check_order(program, at);
        cache::split(program);
        if is_cached {
            self.faults.extend(cache::response_fault(program, at));
        }
        program.kept = kept(program.response.iter().chain(&program.error));
        let requests = program.request.iter().flat_map(Step::reads);
        let mut reads = requests.chain(&program.kept);
        program.reads_claims = reads.any(|name| name.source == Source::Claim);
    }

    fn list(
        &mut self,
        written: &[Written],
        place: Place,
        operations: &[Operation<'_>],
        at: &str,
    ) -> Vec<Step> {
        let at = format!("{at}/{}", place.word());
        if written.len() > STEPS_MAX {
            let detail = format!(
                "a list has at most {STEPS_MAX} steps, not {}",
                written.len()
            );
            self.faults.push(Fault::new(&at, "policy.too_many", detail));
            return Vec::new();
        }
        let mut steps = Steps {
            place,
            kind: self.kind,
            reading: self.reading,
            headers: &self.headers,
            operations,
            examples: self.examples,
            faults: Vec::new(),
            notes: Vec::new(),
        };
        let mut compiled = Vec::new();
        for (index, step) in written.iter().enumerate() {
            let at = format!("{at}/{index}");
            let Some(step) = steps.compile(step, &at) else {
                continue;
            };
            let unknown = step.reads().find_map(|name| self.unknown(name));
            let fault = unknown.map(|detail| Fault::new(at, "policy.expression", detail));
            steps.faults.extend(fault);
            compiled.push(step);
        }
        let Steps { faults, notes, .. } = steps;
        self.faults.extend(faults);
        self.notes.extend(notes);
        compiled
    }

    /// Rejects responses with a step that reads the body after it is compressed.
    fn check_order(&mut self, program: &Program, at: &str) {
        let mut steps = program.response.iter();
        let is_compressed = steps.any(Step::compresses);
        if is_compressed && steps.any(|step| step.needs_body() && !step.compresses()) {
            let detail = "a step that reads the body runs after compress; steps of operations run \
                          before those of the version";
            let fault = Fault::new(format!("{at}/response"), "policy.place", detail);
            self.faults.push(fault);
        }
    }

    /// Returns why a name has no value in any call, if so.
    fn unknown(&self, name: &Name) -> Option<String> {
        let key = &*name.key;
        match name.source {
            Source::Variable if !self.variables.contains(key) => {
                Some(format!("no step \"let\" sets var.{key}"))
            }
            Source::PathParameter if !self.parameters.contains(key) => {
                Some(format!("no path of the version has a parameter {key:?}"))
            }
            _ => None,
        }
    }

    /// Returns the operations of each override.
    fn overrides(
        &mut self,
        configuration: &Configuration,
        policies: &Policies,
    ) -> Vec<Vec<(Method, String)>> {
        if policies.operations.len() > OVERRIDES_MAX {
            let detail = format!("at most {OVERRIDES_MAX} entries");
            let fault = Fault::new("/policies/operations", "policy.too_many", detail);
            self.faults.push(fault);
            return Vec::new();
        }
        let known = operations(configuration);
        let mut taken = HashMap::new();
        let overrides = policies.operations.iter().enumerate().map(|(index, it)| {
            let at = format!("/policies/operations/{index}");
            if it.operations.is_empty() {
                let detail = "names at least one operation";
                let field = format!("{at}/operations");
                self.faults
                    .push(Fault::new(field, "policy.operation", detail));
            }
            self.named(it, &at, &known, &mut taken)
        });
        overrides.collect()
    }

    fn named<'c>(
        &mut self,
        it: &'c OperationPolicies,
        at: &str,
        known: &Operations,
        taken: &mut HashMap<&'c str, String>,
    ) -> Vec<(Method, String)> {
        let mut named = Vec::new();
        for (index, name) in it.operations.iter().enumerate() {
            let field = format!("{at}/operations/{index}");
            let detail = match (known.get(name), taken.get(&**name)) {
                (Some(_), Some(other)) => format!("{other} has policies of this operation already"),
                (Some(operation), None) => {
                    named.push(operation.clone());
                    taken.insert(name, field);
                    continue;
                }
                (None, _) => format!(
                    "the version has no operation {name:?}; name it by method and path, \
                     such as \"POST /orders\""
                ),
            };
            self.faults
                .push(Fault::new(field, "policy.operation", detail));
        }
        named
    }
}

/// Returns the operations that are called by method and path.
pub(crate) fn paths(
    configuration: &Configuration,
) -> impl Iterator<Item = (Method, &PathTemplate)> {
    let own = configuration.operations.iter();
    let own = own.map(|it| (it.method, &it.path));
    let rest = configuration
        .soap
        .iter()
        .filter_map(|soap| soap.rest.as_ref());
    let resources = rest.flat_map(|rest| &rest.resources);
    let resources = resources.filter(|it| it.enabled);
    own.chain(resources.map(|it| (it.method, &it.path)))
}

/// Returns the operations that are called by method and path, by their names.
fn operations(configuration: &Configuration) -> Operations {
    let operations = paths(configuration).map(|(method, path)| {
        let name = format!("{} {path}", method.word());
        (name, (method, path.to_string()))
    });
    operations.collect()
}

/// Returns the names of all parameters of paths.
fn parameters(configuration: &Configuration) -> HashSet<&str> {
    let paths = paths(configuration);
    paths.flat_map(|(_, path)| path.parameters()).collect()
}

/// Returns the names of all variables that steps set.
fn variables(policies: &Policies) -> HashSet<&str> {
    let own = [&policies.request, &policies.response];
    let overrides = policies.operations.iter();
    let overrides = overrides.flat_map(|it| [&it.request, &it.response]);
    let steps = own.into_iter().chain(overrides).flatten();
    let names = steps.filter_map(|step| match &step.policy {
        Policy::Let(it) => Some(&*it.name),
        _ => None,
    });
    names.collect()
}

/// Combines the steps of an override with those of its version; [`Origins::of_program`] keeps the
/// same order.
fn combine(version: &Program, mut own: Program, mode: Combine) -> Program {
    if mode == Combine::Replace {
        return own;
    }
    own.request.splice(0..0, version.request.iter().cloned());
    own.response.extend(version.response.iter().cloned());
    own.error.extend(version.error.iter().cloned());
    own
}

/// Returns what steps of responses and refusals read of the request.
fn kept<'s>(steps: impl Iterator<Item = &'s Step>) -> Vec<Name> {
    let mut names: Vec<_> = steps
        .flat_map(Step::reads)
        .filter(is_of_request)
        .cloned()
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether a name belongs to the request, or to its caller.
fn is_of_request(name: &&Name) -> bool {
    !matches!(
        name.source,
        Source::Status
            | Source::ResponseHeader
            | Source::Body
            | Source::ErrorCode
            | Source::ErrorStatus
            | Source::ErrorDetail
            | Source::ApiName
            | Source::ApiVersion
            | Source::Operation
            | Source::Now
            | Source::Local
    )
}
