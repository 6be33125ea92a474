//! Plans for tests, from schemas within the tests.

use crate::compile::{Choice, Compiled, compile};
use crate::import::{Documents, read};

/// Returns the contract of a service `S` in the namespace `urn:t` with one document/literal
/// operation `call`, which sends the global element `request` and receives `response`. `schema` is
/// the content of `xs:schema`; the prefix for its own namespace is `t` and its elements are
/// qualified. It must declare both elements.
pub(crate) fn wsdl(schema: &str) -> String {
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"
            xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t"
            xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
          <types>
            <xs:schema targetNamespace="urn:t" elementFormDefault="qualified">{schema}</xs:schema>
          </types>
          <message name="request"><part name="parameters" element="t:request"/></message>
          <message name="response"><part name="parameters" element="t:response"/></message>
          <portType name="P">
            <operation name="call">
              <input message="t:request"/>
              <output message="t:response"/>
            </operation>
          </portType>
          <binding name="B" type="t:P">
            <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
            <operation name="call">
              <soap:operation soapAction="urn:t/call"/>
              <input><soap:body use="literal"/></input>
              <output><soap:body use="literal"/></output>
            </operation>
          </binding>
          <service name="S">
            <port name="P" binding="t:B"><soap:address location="http://localhost/"/></port>
          </service>
        </definitions>"#
    )
}

/// Compiles the preferred port of a contract in one document.
pub(crate) fn compiled(wsdl: &str) -> Compiled {
    let mut documents = Documents::default();
    documents.add("main.wsdl", wsdl.as_bytes()).unwrap();
    let imported = read(&documents, "main.wsdl").unwrap();
    compile(&imported, &Choice::default()).unwrap()
}

/// Compiles the contract of [`wsdl`].
pub(crate) fn compiled_schema(schema: &str) -> Compiled {
    compiled(&wsdl(schema))
}
