//! Faults of both versions (SOAP 1.1, section 4.4; SOAP 1.2, part 1, section 5.4) as a gateway
//! sends them; `to_json/fault.rs` reads those of back ends.
//!
//! A gateway is not the ultimate receiver of a message, so its faults name the node that they come
//! from: `faultactor`, `Node`.

use crate::version::SoapVersion;

/// The side that is responsible for a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Party {
    /// The message or its sender: `Client`, `Sender`.
    Sender,
    /// The node that processes it: `Server`, `Receiver`.
    Receiver,
}

/// The contents of a fault.
#[derive(Debug, Clone, Copy)]
pub struct Fault<'a> {
    /// The side that must act.
    pub party: Party,
    /// The stable code word; letters, digits, `_` and `.` only.
    pub code: &'a str,
    /// The HTTP status that the same refusal has in REST.
    pub status: u16,
    /// The summary, one sentence.
    pub title: &'a str,
    /// A second sentence about this case.
    pub detail: Option<&'a str>,
    /// The name of the violated policy.
    pub policy: Option<&'a str>,
    /// The request's id.
    pub request_id: &'a str,
}

/// The node that faults come from.
const NODE: &str = "urn:tollgate:gateway";
/// The namespace of codes and details.
const NAMESPACE: &str = "urn:tollgate:refusal";

impl Fault<'_> {
    /// Returns the whole envelope, in UTF-8.
    #[must_use]
    pub fn envelope(&self, version: SoapVersion) -> String {
        match version {
            SoapVersion::V1_1 => self.envelope_1_1(),
            SoapVersion::V1_2 => self.envelope_1_2(),
        }
    }

    fn envelope_1_1(&self) -> String {
        let code = match self.party {
            Party::Sender => "Client",
            Party::Receiver => "Server",
        };
        let namespace = SoapVersion::V1_1.envelope_namespace();
        let (text, refusal) = (self.text(), self.refusal());
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <soap:Envelope xmlns:soap=\"{namespace}\"><soap:Body><soap:Fault>\
             <faultcode>soap:{code}</faultcode><faultstring>{text}</faultstring>\
             <faultactor>{NODE}</faultactor><detail>{refusal}</detail>\
             </soap:Fault></soap:Body></soap:Envelope>\n"
        )
    }

    fn envelope_1_2(&self) -> String {
        let code = match self.party {
            Party::Sender => "Sender",
            Party::Receiver => "Receiver",
        };
        let namespace = SoapVersion::V1_2.envelope_namespace();
        let (text, refusal, subcode) = (self.text(), self.refusal(), escaped(self.code));
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <env:Envelope xmlns:env=\"{namespace}\" xmlns:t=\"{NAMESPACE}\"><env:Body><env:Fault>\
             <env:Code><env:Value>env:{code}</env:Value>\
             <env:Subcode><env:Value>t:{subcode}</env:Value></env:Subcode></env:Code>\
             <env:Reason><env:Text xml:lang=\"en\">{text}</env:Text></env:Reason>\
             <env:Node>{NODE}</env:Node><env:Detail>{refusal}</env:Detail>\
             </env:Fault></env:Body></env:Envelope>\n"
        )
    }

    /// Returns the text for people.
    fn text(&self) -> String {
        let mut text = escaped(self.title);
        if let Some(detail) = self.detail {
            text.push(' ');
            text += &escaped(detail);
        }
        text
    }

    /// Returns the XML for programs: the same members as the problem document of REST.
    fn refusal(&self) -> String {
        let mut refusal = format!(
            "<refusal xmlns=\"{NAMESPACE}\"><code>{}</code><status>{}</status>\
             <requestId>{}</requestId>",
            escaped(self.code),
            self.status,
            escaped(self.request_id)
        );
        if let Some(policy) = self.policy {
            refusal += &format!("<policy>{}</policy>", escaped(policy));
        }
        refusal + "</refusal>"
    }
}

/// Returns the HTTP status required for a fault by its SOAP version (SOAP 1.1, section 6.2; SOAP
/// 1.2, part 2, section 7.5.2.2), with one exception: a 401 is kept, because HTTP stacks act on its
/// challenge.
#[must_use]
pub fn status(version: SoapVersion, party: Party, logical: u16) -> u16 {
    match (version, party) {
        _ if logical == 401 => 401,
        (SoapVersion::V1_2, Party::Sender) => 400,
        _ => 500,
    }
}

/// Escapes text as XML content, without characters that XML forbids.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'.. => {
                out.push(character);
            }
            _ => out.push('\u{fffd}'),
        }
    }
    out
}

#[cfg(test)]
mod tests;
