//! Whether a binding or port requires more than plain SOAP: WS-Addressing, or assertions of
//! WS-Policy 1.2 or 1.5 that callers of the gateway could not meet. Only the choice of the proposed
//! port depends on it, so what is not known counts as a requirement.

use std::collections::BTreeSet;

use roxmltree::Node;

use crate::import::name;
use crate::import::reading::{attribute, elements, tag};

/// The namespaces of policies (WS-Policy 1.5 and 1.2).
const POLICY: [&str; 2] = [
    "http://www.w3.org/ns/ws-policy",
    "http://schemas.xmlsoap.org/ws/2004/09/policy",
];
/// The namespace of `Id` (WS-Security utility).
const UTILITY: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
/// The namespaces of `UsingAddressing` (WS-Addressing 1.0 - WSDL Binding, section 3.1).
const ADDRESSING: [&str; 2] = [
    "http://www.w3.org/2006/05/addressing/wsdl",
    "http://www.w3.org/2006/02/addressing/wsdl",
];
/// Assertions that require nothing by themselves, or that the gateway can be configured to meet:
/// options of WS-Security and WS-Trust, HTTP Basic.
const MET: [&str; 5] = [
    "Wss10",
    "Wss11",
    "Trust10",
    "Trust13",
    "BasicAuthentication",
];
/// Maximum number of policies with an id in a document.
const POLICIES_MAX: usize = 10_000;

/// The ids of a document's policies that require more than plain SOAP.
#[derive(Debug, Default)]
pub(super) struct Policies(BTreeSet<String>);

impl Policies {
    /// Reads the policies of a document's root element.
    pub(super) fn read(root: Node<'_, '_>) -> Self {
        let policies = elements(root).filter(|node| is_policy(*node, "Policy"));
        let policies = policies.filter(|node| requires(*node)).take(POLICIES_MAX);
        Self(policies.flat_map(ids).map(str::to_owned).collect())
    }

    /// Whether a binding or port requires more than plain SOAP.
    pub(super) fn require_of(&self, node: Node<'_, '_>) -> bool {
        let attached = POLICY
            .iter()
            .filter_map(|it| node.attribute((*it, "PolicyURIs")));
        let mut attached = attached.flat_map(str::split_whitespace);
        attached.any(|uri| self.requires(uri))
            || elements(node).any(|child| self.required_by(child))
    }

    fn required_by(&self, child: Node<'_, '_>) -> bool {
        match tag(child) {
            (namespace, "UsingAddressing") if ADDRESSING.contains(&namespace) => {
                matches!(
                    child.attribute((name::WSDL, "required")),
                    Some("true" | "1")
                )
            }
            _ if is_policy(child, "PolicyReference") => self.requires(attribute(child, "URI")),
            _ => is_policy(child, "Policy") && requires(child),
        }
    }

    /// Whether the policy at a URI requires more: one of the same document, as toolkits write them.
    fn requires(&self, uri: &str) -> bool {
        uri.strip_prefix('#').is_some_and(|id| self.0.contains(id))
    }
}

fn is_policy(node: Node<'_, '_>, local: &str) -> bool {
    let (namespace, name) = tag(node);
    name == local && POLICY.contains(&namespace)
}

/// Returns the ids of a policy (WS-Policy 1.5, section 4.2).
fn ids<'a>(policy: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    let ids = [(UTILITY, "Id"), (name::XML, "id")];
    ids.into_iter().filter_map(move |id| policy.attribute(id))
}

/// Whether a policy, one of its operators or an assertion cannot be met (WS-Policy 1.5, sections
/// 4.1 and 4.3). The depth of a document is bounded.
fn requires(node: Node<'_, '_>) -> bool {
    if is_policy(node, "Policy") || is_policy(node, "All") {
        return elements(node).any(requires);
    }
    if is_policy(node, "ExactlyOne") {
        return elements(node).all(requires);
    }
    let is_optional = |name: &str| {
        let mut values = POLICY.iter().filter_map(|it| node.attribute((*it, name)));
        values.any(|value| matches!(value, "true" | "1"))
    };
    let is_met = match tag(node).1 {
        name if MET.contains(&name) => true,
        "TransportBinding" => !has(node, |name| {
            matches!(name, "IncludeTimestamp" | "RequireClientCertificate")
        }),
        name if name.ends_with("SupportingTokens") => !has(node, |name| {
            name.ends_with("Token") && name != "UsernameToken"
        }),
        _ => false,
    };
    !is_met && !is_optional("Optional") && !is_optional("Ignorable")
}

/// Whether an element below a node has a name.
fn has(node: Node<'_, '_>, is_it: impl Fn(&str) -> bool) -> bool {
    let mut below = node.descendants().skip(1).filter(Node::is_element);
    below.any(|below| is_it(tag(below).1))
}
