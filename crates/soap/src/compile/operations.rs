//! The operations of the chosen port.

use std::collections::{BTreeMap, BTreeSet};

use super::CompileError;
use super::compiler::Compiler;
use super::keys::Taken;
use super::messages::Side;
use super::overload::overload;
use super::port::Chosen;
use super::written;
use crate::import::wsdl::{BoundMessage, BoundOperation, Operation, Style};
use crate::plan::{self, Elements, FieldKind, Message, TypeId};

/// Documentation of operations, by name.
type Documented = BTreeMap<Box<str>, Box<str>>;

/// An operation and its documentation.
type Draft = (plan::Operation, Option<Box<str>>);

impl<'a> Compiler<'a> {
    pub(super) fn operations(&mut self, port: &Chosen<'a>) -> Result<Vec<Draft>, CompileError> {
        let declared = port
            .port_type
            .map_or(&[][..], |port_type| &port_type.operations);
        if port.port_type.is_none() {
            let name = &port.binding.port_type;
            let detail = format!("the port type `{name}` is not defined: no message is known");
            self.notes
                .push("wsdl.unknown_port_type", port.binding.place, detail);
        }
        let mut names = Taken::default();
        let mut operations = Vec::with_capacity(port.binding.operations.len());
        for (at, bound) in port.binding.operations.iter().enumerate() {
            let name = names.take(&bound.name, |_| true);
            if name != bound.name {
                let detail = format!("`{}` is overloaded: it is named `{name}`", bound.name);
                self.notes.push("wsdl.overloaded", bound.place, detail);
            }
            let operation = matching(declared, &port.binding.operations[..at], bound);
            let documentation = operation.and_then(|found| found.documentation.clone());
            let mut compiled = match operation {
                Some(found) => self.operation(port, bound, found)?,
                None => {
                    let detail = format!("the port type has no operation `{}`", bound.name);
                    self.notes
                        .push("wsdl.unknown_operation", bound.place, detail.as_str());
                    self.unknown(port, bound, detail)
                }
            };
            if name != bound.name {
                compiled.overload = overload(bound, operation, &compiled);
            }
            compiled.name = name.into();
            operations.push((compiled, documentation));
        }
        for operation in declared {
            let mut bound = port.binding.operations.iter();
            if !bound.any(|bound| bound.name == operation.name) {
                let detail = format!("the operation `{}` is bound to no port", operation.name);
                self.notes.push("wsdl.unbound", operation.place, detail);
            }
        }
        self.note_same_bodies(port, &operations);
        self.drain()?;
        Ok(operations)
    }

    fn unknown(
        &mut self,
        port: &Chosen<'a>,
        bound: &'a BoundOperation,
        why: String,
    ) -> plan::Operation {
        plan::Operation {
            name: "".into(),
            overload: None,
            version: port.version,
            action: bound.action.clone().unwrap_or_default().into(),
            request: Message::default(),
            response: Some(Message::default()),
            faults: Vec::new(),
            proxy_only: Some(why.into()),
        }
    }

    fn operation(
        &mut self,
        port: &Chosen<'a>,
        bound: &'a BoundOperation,
        operation: &'a Operation,
    ) -> Result<plan::Operation, CompileError> {
        let mut compiled = self.unknown(port, bound, String::new());
        let mut why = self.imported.proxy_only.clone();
        if operation.is_from_service || operation.input.is_none() {
            why = why.or_else(|| Some("the service would send first".to_owned()));
        }
        if let Some(input) = &operation.input {
            let side = Side::new(bound, bound.input.as_ref(), "");
            let (message, fault) = self.message(&side, input)?;
            compiled.request = message;
            why = why.or(fault);
        }
        compiled.response = match &operation.output {
            None => None,
            Some(output) => {
                let side = Side::new(bound, bound.output.as_ref(), "Response");
                let (message, fault) = self.message(&side, output)?;
                why = why.or(fault);
                Some(message)
            }
        };
        for fault in &operation.faults {
            let is_encoded = bound.faults.get(&fault.name).copied().unwrap_or_default();
            compiled.faults.extend(self.fault(fault, is_encoded)?);
        }
        self.note_proxy_only(bound, why.as_deref());
        compiled.proxy_only = why.map(Into::into);
        Ok(compiled)
    }

    fn note_proxy_only(&mut self, bound: &BoundOperation, why: Option<&str>) {
        if let Some(why) = why {
            let detail = format!("`{}` can only be proxied: {why}", bound.name);
            self.notes.push("wsdl.proxy_only", bound.place, detail);
        }
    }

    /// Notes operations with the same child of the body, by which a gateway distinguishes
    /// operations.
    fn note_same_bodies(&mut self, port: &Chosen<'a>, operations: &[Draft]) {
        let mut seen = BTreeMap::new();
        for ((operation, _), bound) in operations.iter().zip(&port.binding.operations) {
            let body = operation
                .request
                .body
                .as_ref()
                .map(|body| body.name.clone());
            if let Some(first) = seen.insert(body, &operation.name) {
                let detail = format!(
                    "`{}` and `{first}` have the same body: only the action distinguishes them",
                    operation.name
                );
                self.notes.push("wsdl.same_body", bound.place, detail);
            }
        }
    }

    /// Returns the operations of a port; those that reach a type that is not understood can only be
    /// proxied.
    pub(super) fn without_faulty(
        &mut self,
        port: &Chosen<'a>,
        operations: Vec<Draft>,
    ) -> (Vec<plan::Operation>, Documented) {
        let mut documented = Documented::new();
        let mut checked = Vec::with_capacity(operations.len());
        for ((mut operation, text), bound) in operations.into_iter().zip(&port.binding.operations) {
            documented.extend(text.map(|text| (operation.name.clone(), text)));
            if operation.proxy_only.is_none() {
                operation.proxy_only = self.why_not(&operation);
                self.note_proxy_only(bound, operation.proxy_only.as_deref());
            }
            operation
                .faults
                .retain(|fault| self.faulty([fault.element.ty]).is_none());
            checked.push(operation);
        }
        (checked, documented)
    }

    fn why_not(&self, operation: &plan::Operation) -> Option<Box<str>> {
        let messages = [Some(&operation.request), operation.response.as_ref()];
        let elements = messages.into_iter().flatten().flat_map(|message| {
            let headers = message.headers.iter().map(|header| &header.element);
            headers.chain(&message.body)
        });
        if let Some(why) = elements.clone().find_map(|it| written::wrong(&it.name)) {
            return Some(why.into());
        }
        let types = elements.map(|element| element.ty);
        let (id, why) = self.faulty(types)?;
        let name = match self.types.get(id.0 as usize) {
            Some(plan::Type::Complex(complex)) => format!("of the type `{}`: ", complex.json),
            _ => String::new(),
        };
        Some(format!("{name}{why}").into())
    }

    /// Returns the first type that is not understood among these and those that they reach.
    pub(super) fn faulty(&self, types: impl IntoIterator<Item = TypeId>) -> Option<(TypeId, &str)> {
        if self.faults.is_empty() {
            return None;
        }
        let mut seen: BTreeSet<TypeId> = types.into_iter().collect();
        let mut queue: Vec<TypeId> = seen.iter().copied().collect();
        while let Some(id) = queue.pop() {
            if let Some(why) = self.faults.get(&id) {
                return Some((id, why));
            }
            let mut next = Vec::new();
            if let Some(plan::Type::Complex(complex)) = self.types.get(id.0 as usize) {
                next.extend(&complex.derived);
                if let plan::Content::Elements(elements) = &complex.content {
                    reached(elements, &mut next);
                }
            }
            queue.extend(next.into_iter().filter(|id| seen.insert(*id)));
        }
        None
    }
}

fn reached(elements: &Elements, into: &mut Vec<TypeId>) {
    for field in &elements.fields {
        match &field.kind {
            FieldKind::Element(element) => into.push(element.ty),
            FieldKind::Substitution { head, members } => {
                into.push(head.ty);
                into.extend(members.iter().map(|(_, member)| member.ty));
            }
            FieldKind::Group(elements) => reached(elements, into),
            FieldKind::Any(_) => {}
        }
    }
}

/// Returns the operation of the port type for a bound one: among several with its name, the one
/// with its messages. Overloads that do not name their messages are in the same order.
fn matching<'a>(
    declared: &'a [Operation],
    before: &[BoundOperation],
    bound: &BoundOperation,
) -> Option<&'a Operation> {
    let named = || {
        declared
            .iter()
            .filter(|operation| operation.name == bound.name)
    };
    let (input, output) = messages(bound);
    let mut same = named().filter(|operation| {
        let carried = operation
            .input
            .as_ref()
            .is_none_or(|carried| carried.name == input);
        let returned = operation
            .output
            .as_ref()
            .is_none_or(|carried| carried.name == output);
        carried && returned
    });
    let first = same.next();
    let earlier = before.iter().filter(|it| it.name == bound.name);
    let earlier = earlier.filter(|it| messages(it) == (input, output));
    let later = earlier.count().checked_sub(1).and_then(|at| same.nth(at));
    later.or(first).or_else(|| named().next())
}

/// Returns the names of a bound operation's messages; empty for none.
fn messages(bound: &BoundOperation) -> (&str, &str) {
    let [input, output] = [&bound.input, &bound.output]
        .map(|message| message.as_ref().map_or("", |message| &*message.name));
    (input, output)
}

impl<'a> Side<'a> {
    fn new(bound: &'a BoundOperation, message: Option<&'a BoundMessage>, suffix: &str) -> Self {
        Self {
            bound: message,
            is_rpc: bound.style == Style::Rpc,
            wrapper: format!("{}{suffix}", bound.name),
        }
    }
}
