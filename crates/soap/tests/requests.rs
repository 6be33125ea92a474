//! Requests of whole contracts: instances made from a plan are converted from JSON to XML and back
//! unchanged and match the OpenAPI document; after any mutation, the output is XML or JSON. So are
//! the examples of the guide and the edge cases that the design lists (`requests/edges.md`).
//!
//! The contracts are that of the shop (`crates/tollgate/tests/peers`) and, if present, those of the
//! corpus, as in `import/corpus.rs`.

#[path = "requests/bent.rs"]
mod bent;
#[path = "requests/complete.rs"]
mod complete;
#[path = "requests/documents.rs"]
mod documents;
#[path = "requests/edges.rs"]
mod edges;
#[path = "requests/examples.rs"]
mod examples;
#[path = "support/fuzzing.rs"]
mod fuzzing;
#[path = "requests/instances.rs"]
mod instances;
#[path = "requests/judged.rs"]
mod judged;
#[path = "requests/mutated.rs"]
mod mutated;
#[path = "support/mutation.rs"]
mod mutation;
#[path = "requests/proposals.rs"]
mod proposals;
#[path = "requests/service.rs"]
mod service;
#[path = "requests/validator.rs"]
mod validator;

use std::path::{Path, PathBuf};

use fuzzing::{Random, Seed};
use instances::{Instances, without_empty_arrays};
use tollgate_soap::compile::{Choice, Documentation, compile};
use tollgate_soap::convention::Shape;
use tollgate_soap::import::{Documents, Imported, read};
use tollgate_soap::openapi;
use tollgate_soap::plan::{Message, ServicePlan, Type};
use tollgate_soap::resources::{Style, propose};
use tollgate_soap::to_json::{self, Options, Outcome};
use tollgate_soap::to_xml::{Program, Request, Scratch, Settings};
use tollgate_xml::{self as xml, decode};
use validator::misfit;

fn add(documents: &mut Documents, folder: &Path, base: &Path) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            add(documents, &path, base);
        } else if path
            .extension()
            .is_some_and(|end| end == "wsdl" || end == "xsd")
        {
            let name = path.strip_prefix(base).expect("below the base");
            let bytes = std::fs::read(&path).expect("a document");
            // Unreadable files are tested by the corpus's own test.
            let _ = documents.add(&name.to_string_lossy(), &bytes);
        }
    }
}

fn imported(folder: &Path, main: &str) -> Option<Imported> {
    let mut documents = Documents::default();
    add(&mut documents, folder, folder);
    read(&documents, main).ok()
}

fn plan(folder: &Path, main: &str) -> Option<ServicePlan> {
    let imported = imported(folder, main)?;
    Some(compile(&imported, &Choice::default()).ok()?.plan)
}

/// Returns the folder of the peers: their contract, and the validators of its messages.
fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tollgate/tests/peers")
}

fn shop() -> ServicePlan {
    plan(&peers().join("contract"), "shop.wsdl").expect("the shop's contract")
}

/// Returns the WSDLs of the corpus, each as its folder and its name there.
fn contracts() -> Vec<(PathBuf, String)> {
    let root = match std::env::var_os("WSDL_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/wsdl"),
    };
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                open.push(path);
            } else if name.ends_with(".wsdl") {
                found.push((folder.clone(), name));
            }
        }
    }
    found
}

fn corpus() -> Vec<(String, ServicePlan)> {
    let contracts = contracts().into_iter();
    let plans = contracts.filter_map(|(folder, name)| {
        let plan = plan(&folder, &name)?;
        Some((folder.join(name).display().to_string(), plan))
    });
    plans.collect()
}

/// Returns a plan with operations that return their request.
fn echo(mut plan: ServicePlan) -> ServicePlan {
    for operation in &mut plan.operations {
        operation.response = Some(Message {
            body: operation.request.body.clone(),
            headers: Vec::new(),
            is_rpc: operation.request.is_rpc,
        });
    }
    plan
}

/// Returns the OpenAPI document of a plan, with everything in the body.
fn described(plan: &ServicePlan) -> serde_json::Value {
    document(plan, Style::Rpc, &Documentation::default())
}

/// Returns the OpenAPI document of the resources proposed for a plan.
fn document(plan: &ServicePlan, style: Style, documentation: &Documentation) -> serde_json::Value {
    let info = openapi::Info {
        title: "T",
        version: "1",
        server: None,
        security: None,
        fixed: &[],
        fault_statuses: &[],
        strings: openapi::Strings::default(),
    };
    openapi::document(plan, &propose(plan, style), documentation, &info).expect("a document")
}

struct Both {
    plan: ServicePlan,
    document: serde_json::Value,
    to_xml: Program,
    to_json: to_json::Program,
}

impl Both {
    fn load(plan: ServicePlan) -> Self {
        let plan = echo(plan);
        Self {
            document: described(&plan),
            to_xml: Program::load(&plan, &Settings::default()).expect("a plan that loads"),
            to_json: to_json::Program::load(&plan, Options::default()),
            plan,
        }
    }

    /// Makes an instance and converts it to XML and back; `None` if none could be made.
    fn round_trip(&self, operation: usize, random: &mut Random) -> Option<()> {
        let body = self.plan.operations[operation].request.body.as_ref()?;
        let value = Instances::new(&self.plan, random).element(body)?;
        let json = serde_json::to_string(&value).expect("JSON");
        let request = Request {
            body: Some(json.as_bytes()),
            ..Request::default()
        };
        let mut xml = Vec::new();
        let written = self
            .to_xml
            .write(operation, &request, &mut Scratch::default(), &mut xml);
        if let Err(violations) = written {
            panic!("{json}\n{violations:?}");
        }
        let text = decode(&xml, None, xml::Bounds::default()).expect("text");
        if let Err(error) = roxmltree::Document::parse(text.as_str()) {
            panic!("{json}\n{}\n{error}", text.as_str());
        }
        let (mut back, mut scratch) = (Vec::new(), to_json::Scratch::default());
        let outcome = self
            .to_json
            .answer(operation, &text, &(), &mut scratch, &mut back);
        let back: serde_json::Value = match outcome {
            Ok(Outcome::Json) => serde_json::from_slice(&back).expect("JSON"),
            Ok(Outcome::Empty) => serde_json::json!({}),
            other => panic!("{json}\n{}\n{other:?}", text.as_str()),
        };
        let path = format!("/{}", self.plan.operations[operation].name);
        let content = &self.document["paths"][path]["post"]["requestBody"]["content"];
        let schema = &content["application/json"]["schema"];
        for json in [&value, &back] {
            assert_eq!(misfit(&self.document, schema, json), None, "\n{json}");
        }
        assert_eq!(
            without_empty_arrays(back),
            without_empty_arrays(value),
            "\n{json}\n{}",
            text.as_str()
        );
        assert_eq!(scratch.mismatches().count, 0, "{json}\n{}", text.as_str());
        Some(())
    }
}

#[test]
fn instances_of_the_shop_go_there_and_back_unchanged() {
    let both = Both::load(shop());
    let mut counts = vec![0; both.plan.operations.len()];
    let seed = std::env::var("FUZZ_SEED").map_or(1, |text| text.parse().expect("a number"));
    let mut random = Random(seed);
    for (operation, count) in counts.iter_mut().enumerate() {
        for _ in 0..300 {
            let seed = Seed(random.next() | 1);
            *count += usize::from(both.round_trip(operation, &mut Random(seed.0)).is_some());
        }
    }
    let names = both.plan.operations.iter().map(|operation| &operation.name);
    let none: Vec<_> = names
        .zip(&counts)
        .filter(|(_, count)| **count == 0)
        .collect();
    assert!(none.is_empty(), "no instance could be made of {none:?}");
}

#[test]
fn instances_in_the_shape_that_a_publisher_chose_go_there_and_back_unchanged() {
    let shape = Shape {
        marks_attributes: true,
        collapses_arrays: true,
        opens_mixed: true,
    };
    let mut random = Random(1);
    let plans = corpus().into_iter().map(|(_, plan)| plan);
    let mut lists = 0;
    for mut plan in plans.chain([shop()]) {
        shape.apply(&mut plan);
        let types = plan.types.iter();
        lists += types
            .filter(|ty| matches!(ty, Type::Complex(complex) if complex.is_list))
            .count();
        let both = Both::load(plan);
        for (index, operation) in both.plan.operations.iter().enumerate() {
            let is_rest = operation.proxy_only.is_none();
            for _ in 0..if is_rest { 10 } else { 0 } {
                let seed = Seed(random.next() | 1);
                both.round_trip(index, &mut Random(seed.0));
            }
        }
    }
    assert!(lists > 0);
}

#[test]
fn instances_of_the_corpus_go_there_and_back_unchanged() {
    let (mut made, mut operations) = (0, 0);
    for (name, plan) in corpus() {
        let both = Both::load(plan);
        let mut random = Random(1);
        for (index, operation) in both.plan.operations.iter().enumerate() {
            if operation.proxy_only.is_some() {
                continue;
            }
            operations += 1;
            for _ in 0..20 {
                let seed = Seed(random.next() | 1);
                let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    both.round_trip(index, &mut Random(seed.0))
                }));
                assert!(tried.is_ok(), "{name}, {}", operation.name);
                made += usize::from(tried.is_ok_and(|tried| tried.is_some()));
            }
        }
    }
    println!("{made} instances of {operations} operations");
}

/// Returns an order with a number of lines.
fn order(lines: usize) -> String {
    let line = concat!(
        r#"{"number":1,"product":{"@type":"Book","discontinued":false,"sku":"AB-1234","#,
        r#""name":"Tea & biscuits","tags":["a","b"],"weight":{"value":1.5,"unit":"kg"},"stock":7,"#,
        r#""author":["A. <Author>","B."],"published":"2026","isbn":"0-00"},"#,
        r#""quantity":2,"price":{"value":12.50,"currency":"EUR"},"part":[]}"#
    );
    let lines = vec![line; lines].join(",");
    format!(
        r#"{{"order":{{"priority":true,"reference":"r-1","customer":{{"number":"007",
        "name":"Jo \"J\" Doe","e-mail":"jo@example.org","address":[]}},"lines":{{"line":[{lines}]}},
        "transfer":"DE00","note":["leave\nat door"]}}}}"#
    )
}

#[test]
fn elements_allocate_nothing() {
    let plan = shop();
    let program = Program::load(&plan, &Settings::default()).expect("a plan that loads");
    let operation = plan
        .operations
        .iter()
        .position(|of| &*of.name == "createOrder");
    let operation = operation.expect("the operation");
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let mut count = |json: &str| {
        let request = Request {
            body: Some(json.as_bytes()),
            ..Request::default()
        };
        let mut written = Ok(());
        out.clear();
        let info = allocation_counter::measure(|| {
            written = program.write(operation, &request, &mut scratch, &mut out);
        });
        written.expect("a request that fits");
        info.count_total
    };
    let (small, large) = (order(10), order(1_000));
    // The buffers grow once.
    assert!(count(&large) > 0);
    assert_eq!((count(&small), count(&large)), (0, 0));
}
