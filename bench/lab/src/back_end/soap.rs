//! The SOAP service `Echo` of the scenarios: it says the text again that it is told. The request is
//! not parsed: only where its text begins and ends is looked for, so that the service costs what an
//! echo does.

use memchr::{memchr, memmem};

use super::answer::of_parts;

#[cfg(test)]
mod tests;

const MEDIA_TYPE: &str = "text/xml; charset=utf-8";
const FRONT: &[u8] = b"<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>\
    <echoResponse xmlns=\"urn:tollgate:lab\"><text>";
const BACK: &[u8] = b"</text></echoResponse></e:Body></e:Envelope>";
const FAULT: &[u8] = b"<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>\
    <e:Fault><faultcode>e:Client</faultcode><faultstring>there is no text</faultstring></e:Fault>\
    </e:Body></e:Envelope>";

/// The answer to an envelope, head and body.
pub(crate) fn answer(request: &[u8]) -> Vec<u8> {
    match text(request) {
        Some(text) => of_parts("200 OK", MEDIA_TYPE, &[FRONT, text, BACK]),
        None => of_parts("500 Internal Server Error", MEDIA_TYPE, &[FAULT]),
    }
}

/// What stands in the first element `text`, whatever its prefix is.
fn text(request: &[u8]) -> Option<&[u8]> {
    const TAG_END: &[u8] = b"text>";
    let rest = &request[memmem::find(request, TAG_END)? + TAG_END.len()..];
    Some(&rest[..memchr(b'<', rest)?])
}
