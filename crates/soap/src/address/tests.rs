use crate::import::documents::Limits;

use super::*;

const MAIN: &str = r#"<?xml version="1.0" encoding="ISO-8859-1"?>
<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:x="http://www.w3.org/2001/XMLSchema"
    xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/'
    xmlns:t="http://schemas.xmlsoap.org/wsdl/soap12/"
    xmlns:h="http://schemas.xmlsoap.org/wsdl/http/" xmlns:a="http://www.w3.org/2005/08/addressing">
  <import namespace="urn:b" location="sub/binding.wsdl"/>
  <types><x:schema>
    <x:import namespace="urn:t" schemaLocation='types.xsd'/>
    <x:import namespace="http://www.w3.org/XML/1998/namespace"
      schemaLocation="http://www.w3.org/2001/xml.xsd"/>
  </x:schema></types>
  <service name="S">
    <port name="A"><s:address location="http://back:81/a"/></port>
    <port name="B"><t:address location='http://back:81/b'/>
      <a:EndpointReference><a:Address>http://back:81/b</a:Address></a:EndpointReference></port>
    <port name="C"><h:address location="http://back:81/c"/></port>
  </service>
  <service name="Other"><port name="D"><s:address location="http://back:82/"/></port></service>
</definitions>"#;
const BINDING: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"
  targetNamespace="urn:b">
  <import namespace="urn:main" location="../main.wsdl"/>
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema"><include schemaLocation="../types.xsd"/>
    </schema></types>
</definitions>"#;
const TYPES: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
  <include schemaLocation="types.xsd"/></schema>"#;

#[test]
fn every_port_and_every_reference_leads_to_the_gateway() {
    let mut documents = Documents::new(Limits::default());
    documents.add("main.wsdl", MAIN.as_bytes()).unwrap();
    documents
        .add("sub/binding.wsdl", BINDING.as_bytes())
        .unwrap();
    documents.add("types.xsd", TYPES.as_bytes()).unwrap();
    let address = "https://api.example.com/o/1.0?a&b";
    let published = publish(&documents, "main.wsdl", address).unwrap();
    let text = |query: &str| {
        let found = published.iter().find(|it| it.query == query);
        found.unwrap_or_else(|| panic!("{query}")).text.as_str()
    };
    let gateway = "https://api.example.com/o/1.0?a&amp;b";
    let expected = MAIN
        .replace("ISO-8859-1", "UTF-8")
        .replace("http://back:81/a", gateway)
        .replace("http://back:81/b", gateway)
        .replace("http://back:81/c", gateway)
        .replace("http://back:82/", gateway)
        .replace("sub/binding.wsdl", &format!("{gateway}?wsdl=1"))
        .replace("types.xsd", &format!("{gateway}?xsd=1"));
    assert_eq!(text("wsdl"), expected);
    let expected = BINDING
        .replace("../main.wsdl", &format!("{gateway}?wsdl"))
        .replace("../types.xsd", &format!("{gateway}?xsd=1"));
    let declared = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    assert_eq!(text("wsdl=1"), format!("{declared}{expected}"));
    let expected = TYPES.replace("types.xsd", &format!("{gateway}?xsd=1"));
    assert_eq!(text("xsd=1"), format!("{declared}{expected}"));
    assert_eq!(published.len(), 3);
}
