//! The request fields that describe a SOAP message in the body.

use tollgate_http1::head::Known;
use tollgate_http1::view::Request;
use tollgate_soap::dispatch::Head;

/// Reads `SOAPAction`, `Content-Type` and `Content-Encoding`.
pub(crate) fn read(request: Request<'_>) -> Head<'_> {
    let mut head = Head::default();
    let lines = request.lines().iter();
    for line in lines.filter(|line| line.known == Known::Other) {
        let field = match line.name().len() {
            10 if line.is(b"soapaction") => &mut head.soap_action,
            12 if line.is(b"content-type") => &mut head.content_type,
            16 if line.is(b"content-encoding") => &mut head.content_encoding,
            _ => continue,
        };
        head.is_ambiguous |= field.replace(line.value()).is_some();
    }
    head
}
