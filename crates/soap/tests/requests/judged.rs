//! The XML written for instances is valid by the contract's own schemas according to libxml2, which
//! does not share our reading of them.
//!
//! The validator is `crates/tollgate/tests/peers/zeep/validate.py`, with the Python that `make
//! deps` installs next to it. If that is missing, the test prints a message, or fails under
//! `TOLLGATE_REQUIRE_SERVICES=1`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tollgate_soap::plan::{Message, ServicePlan};
use tollgate_soap::to_xml::{Program, Request, Scratch, Settings};

use super::fuzzing::Random;
use super::instances::{Instances, MIXED};
use super::{corpus, peers, shop};

/// Instances of each message.
const TRIES: usize = 20;

/// Path ends of contracts that libxml2 refuses in part, and the reason. Messages that need that
/// part are not validated here.
const REFUSED: [(&str, &str); 5] = [
    (
        "type_test_doclit_soap.wsdl",
        "some of its types extend `all` groups, which XML Schema 1.0 forbids",
    ),
    ("handle_attributes_in_response/soap.wsdl", NO_IMPORT),
    ("handle_cdata_xml_in_response/soap.wsdl", NO_IMPORT),
    ("handle_nil_as_null/soap.wsdl", NO_IMPORT),
    (
        "groups.wsdl",
        "it refers to groups of its own namespace without the prefix",
    ),
];
const NO_IMPORT: &str = "its schemas use a namespace that they do not import";

/// Complaints of libxml2 about messages that are valid nevertheless: a part of the operation's
/// name, a part of the complaint, and the reason.
const RIGHT: [(&str, &str, &str); 4] = [
    (
        "",
        "'R&D <é> ]]>' is not a valid value of",
        "any text is an anyURI in XML Schema 1.1, part 2, section 3.3.17, and for us",
    ),
    (
        "",
        "😀",
        "it takes names of the fourth edition of XML 1.0, we those of the fifth",
    ),
    (
        "",
        "is not a valid value of the atomic type 'xs:ID'",
        "an ID that is there twice: plans know no identities",
    ),
    (
        "EmptyChoice",
        "Missing child element(s)",
        "nothing fits an empty choice; those who write one mean that it is empty",
    ),
];

/// Returns the reason why a message is valid despite a complaint of libxml2.
fn excused(operation: &str, verdict: &str) -> Option<&'static str> {
    let mut why = None;
    for sentence in verdict.split("; line ") {
        let mut rows = RIGHT.iter();
        let fits = |(of, piece, _): &&(&str, &str, &str)| {
            operation.contains(of) && sentence.contains(piece)
        };
        why = Some(rows.find(fits)?.2);
    }
    why
}

/// Returns the Python of the validators, if present; `what` is its purpose.
#[expect(clippy::print_stderr, reason = "shows why a test is skipped")]
pub(crate) fn python(what: &str) -> Option<PathBuf> {
    let python = peers().join(".installed/zeep/bin/python");
    if python.is_file() {
        return Some(python);
    }
    let is_required = std::env::var("TOLLGATE_REQUIRE_SERVICES").is_ok_and(|value| value == "1");
    assert!(!is_required, "missing: zeep (make deps builds it)");
    eprintln!("skipped: {what}; missing: zeep (make deps builds it)");
    None
}

/// Returns plans with the messages of each direction as requests; and one without a direction for
/// header blocks and details of faults, which no rpc message contains.
fn directions(plan: &ServicePlan) -> [(Option<&'static str>, ServicePlan); 3] {
    let (mut answers, mut beside) = (plan.clone(), plan.clone());
    for operation in &mut answers.operations {
        operation.request = operation.response.clone().unwrap_or_default();
    }
    beside.operations.clear();
    for operation in &plan.operations {
        let answer = operation.response.iter().flat_map(|it| &it.headers);
        let blocks = operation.request.headers.iter().chain(answer);
        let blocks = blocks.map(|header| &header.element);
        let details = operation.faults.iter().map(|fault| &fault.element);
        for element in blocks.chain(details) {
            let mut alone = operation.clone();
            alone.request = Message {
                body: Some(element.clone()),
                headers: Vec::new(),
                is_rpc: false,
            };
            beside.operations.push(alone);
        }
    }
    [
        (Some("input"), plan.clone()),
        (Some("output"), answers),
        (None, beside),
    ]
}

/// Appends questions on instances of a contract's messages; returns their number, and that of the
/// messages.
fn add_questions(path: &str, plan: &ServicePlan, questions: &mut Vec<Value>) -> usize {
    let mut random = Random(1);
    let mut messages = 0;
    for (direction, plan) in directions(plan) {
        let program = Program::load(&plan, &Settings::default()).expect("a plan that loads");
        for (index, operation) in plan.operations.iter().enumerate() {
            let Some(body) = &operation.request.body else {
                continue;
            };
            if operation.proxy_only.is_some() {
                continue;
            }
            let before = questions.len();
            for _ in 0..TRIES {
                let mut random = Random(random.next() | 1);
                let Some(value) = Instances::new(&plan, &mut random).element(body) else {
                    continue;
                };
                // Markup in mixed content is up to the caller.
                let json = value.to_string().replace(MIXED, "a &amp; d");
                let request = Request {
                    body: Some(json.as_bytes()),
                    ..Request::default()
                };
                let mut xml = Vec::new();
                let mut scratch = Scratch::default();
                let written = program.write(index, &request, &mut scratch, &mut xml);
                written.unwrap_or_else(|violations| panic!("{json}\n{violations:?}"));
                questions.push(json!({
                    "schema": path,
                    "name": operation.name,
                    "operation": direction.map(|_| &operation.name),
                    "direction": direction,
                    "xml": String::from_utf8(xml).expect("UTF-8"),
                }));
            }
            messages += usize::from(questions.len() > before);
        }
    }
    messages
}

/// Returns a validator's answers, one for each question, from one process.
pub(crate) fn answers(python: &Path, judge: &str, questions: &[Value]) -> Vec<Value> {
    let name = format!("{}.jsonl", judge.replace(['/', '.'], "-"));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let lines: String = questions.iter().map(|it| format!("{it}\n")).collect();
    fs::write(&path, lines).expect("a file for questions");
    let output = Command::new(python)
        .arg(peers().join(judge))
        .stdin(fs::File::open(&path).expect("the questions"))
        .stderr(Stdio::inherit())
        .output()
        .expect("the judge");
    fs::remove_file(&path).expect("the questions");
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let answers: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(answers.len(), questions.len());
    answers
}

#[test]
fn messages_written_for_contracts_are_valid_to_libxml2() {
    let Some(python) = python("libxml2's judgement") else {
        return;
    };
    let (mut questions, mut messages) = (Vec::new(), 0);
    let contract = peers().join("contract/shop.wsdl");
    messages += add_questions(&contract.display().to_string(), &shop(), &mut questions);
    for (path, plan) in corpus() {
        messages += add_questions(&path, &plan, &mut questions);
    }
    let (mut valid, mut wrong) = (0, Vec::new());
    let (mut refused, mut right) = (BTreeMap::new(), BTreeMap::new());
    let answers = answers(&python, "zeep/validate.py", &questions);
    for (question, answer) in questions.iter().zip(answers) {
        let schema = question["schema"].as_str().expect("a path");
        let operation = question["name"].as_str().expect("a name");
        let row = REFUSED.iter().find(|(end, _)| schema.ends_with(end));
        if answer["valid"] == true {
            valid += 1;
        } else if let (Some(_), Some((end, why))) = (answer.get("schema_error"), row) {
            *refused.entry((end, why)).or_insert(0) += 1;
        } else if let Some(why) = excused(operation, answer["error"].as_str().unwrap_or_default()) {
            *right.entry(why).or_insert(0) += 1;
        } else {
            let xml = question["xml"].as_str().unwrap_or_default();
            wrong.push(format!("{schema}, {operation}: {answer}\n{xml}"));
        }
    }
    let all = questions.len();
    println!("{valid} of {all} instances of {messages} messages are valid");
    println!("not judged: {refused:#?}\nright all the same: {right:#?}");
    let first = wrong.iter().take(5).cloned().collect::<Vec<_>>();
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), first.join("\n"));
    assert_eq!(
        valid + refused.values().chain(right.values()).sum::<usize>(),
        all
    );
}
