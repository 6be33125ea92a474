//! Faults of a back end, as problems (RFC 9457).
//!
//! ```json
//! {"type": "urn:tollgate:soap-fault:orderNotFound", "title": "no order 7", "status": 404,
//!  "fault": {"code": "Client", "name": "OrderNotFound", "detail": {"id": 7}}}
//! ```
//!
//! `detail` is the JSON of the declared element, and `name` the fault's name in the contract. Other
//! content of the detail is in `any`, in the form of a wildcard's items. A code is the local name
//! if SOAP defines it, else `{namespace}local`; `subcode` is the innermost one.

use tollgate_json::{push_escaped, push_string};
use tollgate_xml::{Event, Namespace, Tag, trim};

use super::program::{DeclaredFault, OperationIndex};
use super::run::Run;
use super::{Error, What};
use crate::envelope;
use crate::plan::{self, Process};
use crate::version::SoapVersion;

#[cfg(test)]
mod tests;

/// The namespace in which Axis discloses its host, an exception's class and its stack trace.
const AXIS: &str = "http://xml.apache.org/axis/";

/// The contents of a fault.
#[derive(Debug, Default)]
struct Fault<'p> {
    code: String,
    subcode: String,
    reason: String,
    actor: String,
    declared: Option<&'p DeclaredFault>,
    /// JSON.
    detail: Vec<u8>,
    /// JSON, with a comma after each item.
    any: Vec<u8>,
}

/// Whether the child of a body is a fault.
pub(crate) fn is_fault(tag: Tag<'_>, version: SoapVersion) -> bool {
    tag.local == "Fault" && tag.namespace == namespace(version)
}

/// Whether the child of a body, which matches nothing else, is a fault in no namespace or in that
/// of another version.
pub(crate) fn may_be_fault(tag: Tag<'_>) -> bool {
    let namespaces = [
        Namespace::NONE,
        Namespace::ENVELOPE_1_1,
        Namespace::ENVELOPE_1_2,
    ];
    tag.local == "Fault" && namespaces.contains(&tag.namespace)
}

const fn namespace(version: SoapVersion) -> Namespace {
    match version {
        SoapVersion::V1_1 => Namespace::ENVELOPE_1_1,
        SoapVersion::V1_2 => Namespace::ENVELOPE_1_2,
    }
}

/// Reads the fault that was opened last and writes the problem; returns its status.
pub(crate) fn push_problem<'p>(
    run: &mut Run<'p, '_, '_>,
    version: SoapVersion,
    operation: &'p OperationIndex,
) -> Result<u16, Error> {
    let mut fault = Fault::default();
    while let Some(tag) = envelope::element(&mut run.reader)? {
        // npm's soap writes the children of one version into envelopes of the other.
        match tag.local {
            "faultcode" => fault.code = code(run)?,
            "faultstring" => fault.reason = text(run)?,
            "faultactor" | "Role" => fault.actor = text(run)?,
            "detail" | "Detail" => read_detail(run, operation, &mut fault)?,
            "Code" => read_codes(run, &mut fault)?,
            "Reason" => fault.reason = reason(run)?,
            _ => {
                run.reader.skip()?;
            }
        }
    }
    if !run.program.options.keeps_stack_traces {
        cut_stack_trace(&mut fault.reason);
    }
    let status = status(&fault);
    write(&fault, version, status, run.out);
    Ok(status)
}

/// Reads the text of the element that was opened last, up to its end.
fn text(run: &mut Run<'_, '_, '_>) -> Result<String, Error> {
    let mut text = String::new();
    loop {
        match run.reader.next()? {
            Event::Text(piece) => text.push_str(piece),
            Event::Character(character) => text.push(character),
            Event::Start(_) => {
                run.reader.skip()?;
            }
            Event::End | Event::Eof => return Ok(trim(&text).to_owned()),
        }
    }
}

/// Reads a code: many services write it without a prefix, or with an undeclared one.
fn code(run: &mut Run<'_, '_, '_>) -> Result<String, Error> {
    let text = text(run)?;
    let (prefix, local) = text.split_once(':').unwrap_or(("", &text));
    Ok(match run.reader.resolve(prefix) {
        Some((Namespace::ENVELOPE_1_1 | Namespace::ENVELOPE_1_2 | Namespace::NONE, _)) => {
            local.to_owned()
        }
        Some((_, name)) if !prefix.is_empty() => format!("{{{name}}}{local}"),
        _ => local.to_owned(),
    })
}

fn read_codes(run: &mut Run<'_, '_, '_>, fault: &mut Fault<'_>) -> Result<(), Error> {
    let depth = run.reader.depth();
    loop {
        match run.reader.next()? {
            // Subcodes are nested, so the last value is the innermost.
            Event::Start(tag) if tag.local == "Value" => {
                let is_sub = run.reader.depth() > depth + 1;
                let code = code(run)?;
                *(if is_sub {
                    &mut fault.subcode
                } else {
                    &mut fault.code
                }) = code;
            }
            Event::End if run.reader.depth() < depth => return Ok(()),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// Returns the English text, or the first.
fn reason(run: &mut Run<'_, '_, '_>) -> Result<String, Error> {
    let (mut reason, mut is_english) = (None, false);
    while envelope::element(&mut run.reader)?.is_some() {
        let language = run.reader.attribute(Namespace::XML, "lang");
        let mut value = String::new();
        let language = language.map(|it| run.reader.attribute_value(it, &mut value).to_owned());
        let is_this = language.is_some_and(|it| it == "en" || it.starts_with("en-"));
        let text = text(run)?;
        if reason.is_none() || is_this && !is_english {
            (reason, is_english) = (Some(text), is_this);
        }
    }
    Ok(reason.unwrap_or_default())
}

fn read_detail<'p>(
    run: &mut Run<'p, '_, '_>,
    operation: &'p OperationIndex,
    fault: &mut Fault<'p>,
) -> Result<(), Error> {
    let start = run.out.len();
    loop {
        match run.reader.next()? {
            Event::Start(tag) => {
                let declared = match fault.declared {
                    None => find_declared(run, operation, tag)?,
                    Some(_) => None,
                };
                if let Some(declared) = declared {
                    fault.declared = Some(declared);
                    run.element(&declared.slot)?;
                    fault.detail.extend(run.out.drain(start..));
                    continue;
                }
                let from = run.reader.offset();
                let namespace = run.reader.resolve(tag.prefix);
                let is_of_axis = namespace.is_some_and(|(_, name)| name == AXIS);
                run.any(tag, Process::Lax)?;
                let xml = &run.reader.text()[from..run.reader.end()];
                let is_inside = is_of_axis || has_stack_trace(xml);
                if run.program.options.keeps_stack_traces || !is_inside {
                    fault.any.extend_from_slice(&run.out[start..]);
                    fault.any.push(b',');
                }
                run.out.truncate(start);
            }
            Event::Text(text) => {
                let text = trim(text);
                let is_kept = run.program.options.keeps_stack_traces || !has_stack_trace(text);
                if !text.is_empty() && is_kept {
                    push_string(&mut fault.any, text);
                    fault.any.push(b',');
                }
            }
            Event::Character(_) => {}
            Event::End | Event::Eof => return Ok(()),
        }
    }
}

/// Returns the declared fault for an element of a detail: the one with its name, or else the only
/// one with its local name, if no other element of the contract has this name.
fn find_declared<'p>(
    run: &mut Run<'p, '_, '_>,
    operation: &'p OperationIndex,
    tag: Tag<'_>,
) -> Result<Option<&'p DeclaredFault>, Error> {
    let exact = operation.faults.iter().find(|it| it.element.is_of(tag));
    if exact.is_some() || run.program.is_global(tag) {
        return Ok(exact);
    }
    let mut named = operation.faults.iter();
    let found = named
        .find(|it| *it.element.local == *tag.local)
        .filter(|found| {
            named.all(|it| *it.element.local != *tag.local || it.element == found.element)
        });
    if found.is_some() {
        run.mismatch(What::Name)?;
    }
    Ok(found)
}

/// Whether a line looks like one of a stack trace of Java, .NET or JavaScript.
fn is_of_stack_trace(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ") && line.contains('(')
}

fn has_stack_trace(text: &str) -> bool {
    text.lines().any(is_of_stack_trace) || text.to_ascii_lowercase().contains("stacktrace")
}

fn cut_stack_trace(text: &mut String) {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if is_of_stack_trace(line) {
            break;
        }
        end += line.len();
    }
    text.truncate(end);
    text.truncate(text.trim_end().len());
}

fn status(fault: &Fault<'_>) -> u16 {
    if let Some(status) = fault.declared.and_then(|declared| declared.status) {
        return status;
    }
    // SOAP 1.1 allows codes to be refined after a dot.
    match fault.code.split('.').next() {
        Some("Client" | "Sender") => 400,
        Some("MustUnderstand" | "VersionMismatch" | "DataEncodingUnknown") => 502,
        _ => 500,
    }
}

/// Returns the status of a declared fault: the chosen one, or one by its name.
pub(crate) fn status_of(fault: &plan::Fault, chosen: &[(Box<str>, u16)]) -> Option<u16> {
    let chosen = chosen.iter().find(|(name, _)| *name == fault.name);
    let chosen = chosen
        .map(|&(_, status)| status)
        .filter(|status| (400..600).contains(status));
    let of_name = || status_of_name(&fault.name).or(status_of_name(&fault.element.name.local));
    chosen.or_else(of_name)
}

fn status_of_name(name: &str) -> Option<u16> {
    let words = words(name);
    let has = |one: &[&str]| words.iter().any(|word| one.contains(&word.as_str()));
    let has_pair = |one, two| {
        words
            .windows(2)
            .any(|pair| pair[0] == one && pair[1] == two)
    };
    if has_pair("not", "found") || has_pair("no", "such") || has(&["notfound", "unknown"]) {
        Some(404)
    } else if has(&["duplicate", "exists", "conflict"]) {
        Some(409)
    } else if has(&["invalid", "validation", "bad"]) {
        Some(422)
    } else if has(&[
        "denied",
        "unauthorized",
        "auth",
        "authentication",
        "authorization",
    ]) {
        Some(403)
    } else {
        None
    }
}

/// Returns the words of a name in camel case or with separators, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars() {
        let is_separator = !character.is_alphanumeric();
        if is_separator || was_lower && character.is_uppercase() {
            words.push(String::new());
        }
        was_lower = character.is_lowercase();
        if let (false, Some(word)) = (is_separator, words.last_mut()) {
            word.extend(character.to_lowercase());
        }
    }
    words
}

fn write(fault: &Fault<'_>, version: SoapVersion, status: u16, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"urn:tollgate:soap-fault");
    if let Some(declared) = fault.declared {
        out.push(b':');
        push_escaped(out, &declared.element.local);
    }
    out.extend_from_slice(b"\",\"title\":");
    let title = match fault.reason.as_str() {
        "" => "the service answered with a fault",
        reason => reason,
    };
    push_string(out, title);
    out.extend_from_slice(format!(",\"status\":{status},\"fault\":{{\"code\":").as_bytes());
    push_string(out, &fault.code);
    let actor = match version {
        SoapVersion::V1_1 => "actor",
        SoapVersion::V1_2 => "role",
    };
    let name = fault.declared.map_or("", |declared| &declared.name);
    for (key, text) in [
        ("subcode", fault.subcode.as_str()),
        (actor, &fault.actor),
        ("name", name),
    ] {
        if !text.is_empty() {
            out.push(b',');
            push_string(out, key);
            out.push(b':');
            push_string(out, text);
        }
    }
    if !fault.detail.is_empty() {
        out.extend_from_slice(b",\"detail\":");
        out.extend_from_slice(&fault.detail);
    }
    if let Some((_, items)) = fault.any.split_last() {
        out.extend_from_slice(b",\"any\":[");
        out.extend_from_slice(items);
        out.push(b']');
    }
    out.extend_from_slice(b"}}");
}
