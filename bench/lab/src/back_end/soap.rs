//! The SOAP service `Echo` of the scenarios, which returns the text of its request. It does not
//! parse the request, but searches for the begin and the end of the text, so it costs about as much
//! as `/echo`.

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

/// Returns the response to an envelope, head and body.
pub(crate) fn answer(request: &[u8]) -> Vec<u8> {
    match text(request) {
        Some(text) => of_parts("200 OK", MEDIA_TYPE, &[FRONT, text, BACK]),
        None => of_parts("500 Internal Server Error", MEDIA_TYPE, &[FAULT]),
    }
}

/// Returns the content of the first element `text`, regardless of its prefix.
fn text(request: &[u8]) -> Option<&[u8]> {
    const TAG_END: &[u8] = b"text>";
    let rest = &request[memmem::find(request, TAG_END)? + TAG_END.len()..];
    Some(&rest[..memchr(b'<', rest)?])
}
