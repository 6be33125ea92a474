use crate::compile::Choice;
use crate::import::Limits;
use crate::import::read;

use super::*;

const MAIN: &str = r#"<?xml version="1.0" encoding="ISO-8859-1"?>
<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:x="http://www.w3.org/2001/XMLSchema"
    xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/'
    xmlns:t="http://schemas.xmlsoap.org/wsdl/soap12/"
    xmlns:h="http://schemas.xmlsoap.org/wsdl/http/" xmlns:a="http://www.w3.org/2005/08/addressing"
    xmlns:m="urn:main" targetNamespace="urn:main">
  <import namespace="urn:b" location="sub/binding.wsdl"/>
  <types><x:schema>
    <x:import namespace="urn:t" schemaLocation='types.xsd'/>
    <x:import namespace="http://www.w3.org/XML/1998/namespace"
      schemaLocation="http://www.w3.org/2001/xml.xsd"/>
  </x:schema></types>
  <portType name="P"/>
  BINDINGS
  <service name="S">PORTS
  </service>
</definitions>"#;
const BINDING: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"
  targetNamespace="urn:b">
  <import namespace="urn:main" location="../main.wsdl"/>
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema"><include schemaLocation="../types.xsd"/>
    </schema></types>
  <service name="Later" xmlns:m="urn:main" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/">
    <port name="E" binding="m:s"><s:address location="http://back:83/e"/></port></service>
</definitions>"#;
/// The service of the second document, with the white space before it.
const LATER: &str = r#"
  <service name="Later" xmlns:m="urn:main" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/">
    <port name="E" binding="m:s"><s:address location="http://back:83/e"/></port></service>"#;
const TYPES: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
  <include schemaLocation="types.xsd"/></schema>"#;

/// Returns the contract with bindings for its ports, each on a line of its own.
fn with_bindings(ports: &str) -> String {
    let binding = |name: &str, namespace: &str| {
        format!(
            r#"<binding name="{name}" type="m:P"><{namespace}:binding
            transport="http://schemas.xmlsoap.org/soap/http" verb="GET"/></binding>"#
        )
    };
    let bindings = ["s", "t", "h"].map(|namespace| binding(namespace, namespace));
    MAIN.replace("PORTS", ports)
        .replace("BINDINGS", &bindings.concat())
}

fn port(name: &str, binding: &str, address: &str) -> String {
    format!(
        "\n    <port name=\"{name}\" binding=\"m:{binding}\">\
         <{binding}:address location=\"{address}\"/></port>"
    )
}

fn set(main: &str) -> Documents {
    let mut documents = Documents::new(Limits::default());
    documents.add("main.wsdl", main.as_bytes()).unwrap();
    documents
        .add("sub/binding.wsdl", BINDING.as_bytes())
        .unwrap();
    documents.add("types.xsd", TYPES.as_bytes()).unwrap();
    documents
}

/// Returns the documents published for this port, and the names of the ports in the notes.
fn published(documents: &Documents, port: &str) -> (Vec<Published>, Vec<String>) {
    let imported = read(documents, "main.wsdl").unwrap();
    let choice = Choice {
        port: Some(port.to_owned()),
        service: None,
    };
    let ports = Ports::of(&imported, &choice).unwrap();
    let notes = ports.notes.iter().map(|note| {
        assert_eq!(note.code, "wsdl.port_left_out");
        note.detail.split('`').nth(1).unwrap_or_default().to_owned()
    });
    let all = publish(documents, "main.wsdl", GATEWAY, &ports).unwrap();
    (all, notes.collect())
}

const GATEWAY: &str = "https://api.example.com/o/1.0?a&b";
const ESCAPED: &str = "https://api.example.com/o/1.0?a&amp;b";
const DECLARED: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

#[test]
fn every_port_of_the_address_and_every_reference_leads_to_the_gateway() {
    let addressed = r#"<a:EndpointReference><a:Address>http://back:81/b</a:Address>
        </a:EndpointReference></port>"#;
    let second = port("B", "t", "http://back:81/a").replace("</port>", addressed);
    let main = with_bindings(&format!("{}{second}", port("A", "s", "http://back:81/a")));
    let (published, left) = published(&set(&main), "A");
    assert_eq!(left, ["E"]);
    let text = |query: &str| {
        let found = published.iter().find(|it| it.query == query);
        found.unwrap_or_else(|| panic!("{query}")).text.as_str()
    };
    let expected = main
        .replace("ISO-8859-1", "UTF-8")
        .replace("http://back:81/a", ESCAPED)
        .replace("http://back:81/b", ESCAPED)
        .replace("sub/binding.wsdl", &format!("{ESCAPED}?wsdl=1"))
        .replace("types.xsd", &format!("{ESCAPED}?xsd=1"));
    assert_eq!(text("wsdl"), expected);
    let expected = BINDING
        .replace("../main.wsdl", &format!("{ESCAPED}?wsdl"))
        .replace("../types.xsd", &format!("{ESCAPED}?xsd=1"))
        .replace(LATER, "");
    assert_eq!(text("wsdl=1"), format!("{DECLARED}{expected}"));
    let expected = TYPES.replace("types.xsd", &format!("{ESCAPED}?xsd=1"));
    assert_eq!(text("xsd=1"), format!("{DECLARED}{expected}"));
    assert_eq!(published.len(), 3);
}

#[test]
fn a_well_known_schema_is_not_located_at_a_private_host() {
    let official = "\n      schemaLocation=\"http://www.w3.org/2001/xml.xsd\"";
    let main = with_bindings(&port("A", "s", "http://back:81/a"));
    assert!(main.contains(official));
    for own in [
        "http://mirror.internal/xml.xsd",
        "https://www.w3.org.internal/xml.xsd",
        "xml.xsd",
    ] {
        let main = main.replace("http://www.w3.org/2001/xml.xsd", own);
        let (published, _) = published(&set(&main), "A");
        let text = &published[0].text;
        assert!(!text.contains("xml.xsd"), "{text}");
        assert!(
            text.contains(&format!("schemaLocation=\"{ESCAPED}?xsd=2\"")),
            "{text}"
        );
        assert_eq!((published.len(), &*published[3].query), (4, "xsd=2"));
        assert!(published[3].text.contains("<attribute name=\"lang\""));
    }
    let (published, _) = published(&set(&main), "A");
    assert!(published[0].text.contains(official));
}

#[test]
fn built_in_schemas_are_served_with_all_that_they_import() {
    let imports = |schemas: &[(&str, &str)]| {
        let imports = schemas.iter().map(|(namespace, location)| {
            format!(r#"<x:import namespace="{namespace}" schemaLocation="{location}"/>"#)
        });
        imports.collect::<String>()
    };
    let main = |imports: &str| {
        let main = with_bindings(&port("A", "s", "http://back:81/a"));
        main.replacen("<x:schema>", &format!("<x:schema>{imports}"), 1)
    };
    let [xenc, ds] = [
        "http://www.w3.org/2001/04/xmlenc#",
        "http://www.w3.org/2000/09/xmldsig#",
    ];
    let xsd = "http://www.w3.org/2001/XMLSchema";
    let own = [
        (xenc, "xenc.xsd"),
        (ds, "ds.xsd"),
        (xsd, "xsd.xsd"),
        ("urn:gone", "gone.xsd"),
    ];
    let mut documents = set(&main(&imports(&own)));
    documents
        .add("ds.xsd", b"<!DOCTYPE schema><schema/>")
        .unwrap();
    let (published, _) = published(&documents, "A");
    let queries: Vec<&str> = published.iter().map(|it| &*it.query).collect();
    assert_eq!(queries, ["wsdl", "wsdl=1", "xsd=1", "xsd=2", "xsd=3"]);
    let [at_xenc, at_ds] = ["xsd=2", "xsd=3"].map(|query| format!("{ESCAPED}?{query}"));
    let located = imports(&[(xenc, &at_xenc), (ds, &at_ds)]);
    let without = format!(r#"<x:import namespace="{xsd}"/><x:import namespace="urn:gone"/>"#);
    let text = &published[0].text;
    assert!(text.contains(&format!("{located}{without}")), "{text}");
    let import = format!(r#"namespace="{ds}" schemaLocation="{at_ds}"/>"#);
    assert!(published[3].text.contains(&import), "{}", published[3].text);
    assert!(published[4].text.starts_with(DECLARED));
    assert!(published[4].text.contains("name=\"SignatureType\""));
}

#[test]
fn ports_that_lead_elsewhere_are_left_out_and_named() {
    let [a, b, c, d] = [
        port("A", "s", "http://back:81/a"),
        port("B", "s", "http://back:82/b"),
        port("C", "h", "http://back:81/a"),
        port("D", "t", "http://back:82/b"),
    ];
    let main = with_bindings(&format!("{a}{b}{c}{d}\n    <!-- kept -->"));
    let documents = set(&main);
    let cases = [
        // One binding at two addresses; the other version of SOAP at each of them.
        ("A", vec![&a], vec!["B", "D", "E"]),
        ("B", vec![&b, &d], vec!["A", "E"]),
        ("D", vec![&b, &d], vec!["A", "E"]),
    ];
    for (chosen, kept, left) in cases {
        let (published, notes) = published(&documents, chosen);
        assert_eq!(notes, left, "{chosen}");
        let ports: String = kept.into_iter().map(String::as_str).collect();
        let ports = ports.replace("http://back:81/a", ESCAPED);
        let ports = ports.replace("http://back:82/b", ESCAPED);
        let service = format!("<service name=\"S\">{ports}\n    <!-- kept -->\n  </service>");
        assert!(
            published[0].text.contains(&service),
            "{}",
            published[0].text
        );
        // Bindings stay, but a service without any served port does not.
        assert!(published[0].text.contains("<binding name=\"h\""));
        assert!(
            !published[1].text.contains("Later"),
            "{}",
            published[1].text
        );
    }
    // For a service of another document, the main one keeps no service.
    let (published, notes) = published(&documents, "E");
    assert_eq!(notes, ["A", "B", "D"]);
    assert!(
        !published[0].text.contains("<service"),
        "{}",
        published[0].text
    );
    let service = LATER.replace("http://back:83/e", ESCAPED);
    assert!(
        published[1].text.contains(&service),
        "{}",
        published[1].text
    );
}
