//! What a request's head says of a SOAP message in its body.

use tollgate_http1::head::Known;
use tollgate_http1::view::Request;
use tollgate_soap::dispatch::Head;

/// Reads `SOAPAction`, `Content-Type` and `Content-Encoding`.
pub(crate) fn read(request: Request<'_>) -> Head<'_> {
    let mut said = Head::default();
    let lines = request.lines().iter();
    for line in lines.filter(|line| line.known == Known::Other) {
        let said_before = match line.name().len() {
            10 if line.is(b"soapaction") => &mut said.soap_action,
            12 if line.is(b"content-type") => &mut said.content_type,
            16 if line.is(b"content-encoding") => &mut said.content_encoding,
            _ => continue,
        };
        said.is_ambiguous |= said_before.replace(line.value()).is_some();
    }
    said
}
