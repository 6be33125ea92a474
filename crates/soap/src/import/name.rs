//! Expanded names and the namespaces that contracts are written in.

use std::fmt;
use std::sync::Arc;

pub(crate) const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
pub(crate) const WSDL_2: &str = "http://www.w3.org/ns/wsdl";
pub(crate) const WSDL_SOAP_1_1: &str = "http://schemas.xmlsoap.org/wsdl/soap/";
pub(crate) const WSDL_SOAP_1_2: &str = "http://schemas.xmlsoap.org/wsdl/soap12/";
pub(crate) const WSDL_HTTP: &str = "http://schemas.xmlsoap.org/wsdl/http/";
pub(crate) const WSDL_MIME: &str = "http://schemas.xmlsoap.org/wsdl/mime/";
pub(crate) const XSD: &str = "http://www.w3.org/2001/XMLSchema";
pub(crate) const XML: &str = "http://www.w3.org/XML/1998/namespace";
pub(crate) const XMLNS: &str = "http://www.w3.org/2000/xmlns/";
pub(crate) const SOAP_ENCODING_1_1: &str = "http://schemas.xmlsoap.org/soap/encoding/";
pub(crate) const SOAP_ENCODING_1_2: &str = "http://www.w3.org/2003/05/soap-encoding";
/// The namespace of `swaRef` (WS-I Attachments Profile 1.0, section 4.4).
pub(crate) const ATTACHMENTS: &str = "http://ws-i.org/profiles/basic/1.1/xsd";

/// The expanded name of a component; the namespace is empty for none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QName {
    /// The namespace.
    pub namespace: Arc<str>,
    /// The local part.
    pub local: Arc<str>,
}

impl QName {
    /// Creates a name from its two parts.
    #[must_use]
    pub fn new(namespace: &str, local: &str) -> Self {
        Self {
            namespace: namespace.into(),
            local: local.into(),
        }
    }

    /// Whether it equals this name.
    #[must_use]
    pub fn is(&self, namespace: &str, local: &str) -> bool {
        &*self.namespace == namespace && &*self.local == local
    }
}

impl fmt::Display for QName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            return f.write_str(&self.local);
        }
        write!(f, "{{{}}}{}", self.namespace, self.local)
    }
}
