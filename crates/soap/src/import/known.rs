//! Well-known schemas, which contracts import but rarely include. The texts are our own, with the
//! declarations of the specifications and without their prose.

use super::name;

/// The namespace and the text of each schema.
const KNOWN: [(&str, &str); 16] = [
    (name::XSD, include_str!("known/xsd.xsd")),
    (name::XML, include_str!("known/xml.xsd")),
    (
        name::SOAP_ENCODING_1_1,
        include_str!("known/soap_encoding_1_1.xsd"),
    ),
    (
        name::SOAP_ENCODING_1_2,
        include_str!("known/soap_encoding_1_2.xsd"),
    ),
    (
        "http://www.w3.org/2005/05/xmlmime",
        include_str!("known/xmlmime_2005.xsd"),
    ),
    (
        "http://www.w3.org/2004/11/xmlmime",
        include_str!("known/xmlmime_2004.xsd"),
    ),
    (
        "http://www.w3.org/2004/08/xop/include",
        include_str!("known/xop_include.xsd"),
    ),
    (name::ATTACHMENTS, include_str!("known/swa_ref.xsd")),
    (
        "http://www.w3.org/2005/08/addressing",
        include_str!("known/addressing_2005.xsd"),
    ),
    (
        "http://schemas.xmlsoap.org/ws/2004/08/addressing",
        include_str!("known/addressing_2004.xsd"),
    ),
    (
        "http://schemas.xmlsoap.org/soap/envelope/",
        include_str!("known/soap_envelope_1_1.xsd"),
    ),
    (
        "http://www.w3.org/2003/05/soap-envelope",
        include_str!("known/soap_envelope_1_2.xsd"),
    ),
    (
        "http://www.w3.org/2000/09/xmldsig#",
        include_str!("known/xmldsig.xsd"),
    ),
    (
        "http://www.w3.org/2001/04/xmlenc#",
        include_str!("known/xmlenc.xsd"),
    ),
    (
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd",
        include_str!("known/wss_utility.xsd"),
    ),
    (
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd",
        include_str!("known/wss_secext.xsd"),
    ),
];

/// Returns the built-in schema of a namespace: its namespace, which is also its URI, and its text.
pub(super) fn by_namespace(namespace: &str) -> Option<(&'static str, &'static str)> {
    KNOWN.into_iter().find(|(known, _)| *known == namespace)
}

#[cfg(test)]
mod tests;
