use super::*;
use crate::compile::{Choice, compile};
use crate::import::{Documents, read};
use crate::to_json::{self, Options, Outcome};
use crate::to_xml::{Program, Request, Scratch, Settings};
use crate::xml::{Bounds, decode};

const CONTRACT: &str = r#"<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t" targetNamespace="urn:t">
  <wsdl:types>
    <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"
        elementFormDefault="qualified">
      <xs:complexType name="Lines">
        <xs:sequence>
          <xs:element name="line" type="t:Line" nillable="true" minOccurs="0"
              maxOccurs="unbounded"/>
        </xs:sequence>
      </xs:complexType>
      <xs:complexType name="Line">
        <xs:sequence>
          <xs:element name="note" type="xs:string" minOccurs="0"/>
          <xs:element name="more" type="t:Lines" nillable="true" minOccurs="0"/>
        </xs:sequence>
        <xs:attribute name="number" type="xs:int"/>
        <xs:attribute name="type" type="xs:string"/>
        <xs:attribute name="note" type="xs:string"/>
      </xs:complexType>
      <xs:element name="echo">
        <xs:complexType><xs:sequence>
          <xs:element name="lines" type="t:Lines" maxOccurs="2"/>
        </xs:sequence></xs:complexType>
      </xs:element>
    </xs:schema>
  </wsdl:types>
  <wsdl:message name="Echo"><wsdl:part name="body" element="t:echo"/></wsdl:message>
  <wsdl:portType name="Port"><wsdl:operation name="echo">
    <wsdl:input message="t:Echo"/><wsdl:output message="t:Echo"/>
  </wsdl:operation></wsdl:portType>
  <wsdl:binding name="Binding" type="t:Port">
    <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <wsdl:operation name="echo">
      <soap:operation soapAction=""/>
      <wsdl:input><soap:body use="literal"/></wsdl:input>
      <wsdl:output><soap:body use="literal"/></wsdl:output>
    </wsdl:operation>
  </wsdl:binding>
  <wsdl:service name="Service"><wsdl:port name="Port" binding="t:Binding">
    <soap:address location="http://localhost/"/>
  </wsdl:port></wsdl:service>
</wsdl:definitions>"#;

fn plan(shape: Shape) -> ServicePlan {
    let mut documents = Documents::default();
    documents.add("a.wsdl", CONTRACT.as_bytes()).unwrap();
    let imported = read(&documents, "a.wsdl").unwrap();
    let mut plan = compile(&imported, &Choice::default()).unwrap().plan;
    shape.apply(&mut plan);
    plan
}

/// Returns the XML of the body's child, or the violations.
fn to_xml(plan: &ServicePlan, json: &str) -> Result<String, Vec<String>> {
    let program = Program::load(plan, &Settings::default()).unwrap();
    let request = Request {
        body: Some(json.as_bytes()),
        ..Request::default()
    };
    let mut out = Vec::new();
    match program.write(0, &request, &mut Scratch::default(), &mut out) {
        Ok(()) => Ok(String::from_utf8(out).unwrap()),
        Err(violations) => Err(violations
            .iter()
            .map(|of| format!("{} {}", of.pointer, of.sentence))
            .collect()),
    }
}

fn to_json(plan: &ServicePlan, xml: &str) -> (String, u32) {
    let program = to_json::Program::load(plan, Options::default());
    let text = decode(xml.as_bytes(), None, Bounds::default()).unwrap();
    let (mut scratch, mut out) = (to_json::Scratch::default(), Vec::new());
    let outcome = program.answer(0, &text, &(), &mut scratch, &mut out);
    assert_eq!(outcome, Ok(Outcome::Json));
    (String::from_utf8(out).unwrap(), scratch.mismatches().count)
}

// rest.option.marks_attributes
#[test]
fn all_attributes_are_marked_where_the_publisher_wants_it() {
    let plan = plan(Shape {
        marks_attributes: true,
        ..Shape::default()
    });
    let json = r#"{"lines":[{"line":[{"@number":7,"@type_2":"x","@note":"a","note":"b"}]}]}"#;
    let xml = to_xml(&plan, json).unwrap();
    let line = r#"<n1:line number="7" type="x" note="a"><n1:note>b</n1:note></n1:line>"#;
    assert!(xml.contains(line), "{xml}");
    assert_eq!(to_json(&plan, &xml), (json.into(), 0));
}

// rest.option.collapses_arrays
#[test]
fn an_element_around_a_repeated_one_is_an_array_where_the_publisher_wants_it() {
    let plan = plan(Shape {
        collapses_arrays: true,
        ..Shape::default()
    });
    // The message itself stays an object.
    let json =
        r#"{"lines":[[{"number":1,"more":[{"note":"x"},null]},{"more":[]},{"more":null}],[]]}"#;
    let xml = to_xml(&plan, json).unwrap();
    let lines = concat!(
        r#"<n1:lines><n1:line number="1"><n1:more><n1:line><n1:note>x</n1:note></n1:line>"#,
        r#"<n1:line xsi:nil="true"/></n1:more></n1:line><n1:line><n1:more></n1:more></n1:line>"#,
        r#"<n1:line><n1:more xsi:nil="true"/></n1:line></n1:lines><n1:lines></n1:lines>"#,
    );
    assert!(xml.contains(lines), "{xml}");
    assert_eq!(to_json(&plan, &xml), (json.into(), 0));
    // Parameters create objects along their paths.
    let object = to_xml(&plan, r#"{"lines":[{"line":[{"number":1}]}]}"#).unwrap();
    assert!(
        object.contains(r#"<n1:line number="1"></n1:line>"#),
        "{object}"
    );
    assert_eq!(
        to_xml(&plan, r#"{"lines":["x",[{"more":"y"}]]}"#),
        Err(vec![
            "/lines/0 must be an array".into(),
            "/lines/1/0/more must be an array".into(),
        ])
    );
}

#[test]
fn unknown_content_of_a_list_is_left_out() {
    let plan = plan(Shape {
        collapses_arrays: true,
        ..Shape::default()
    });
    let (json, mismatches) = to_json(
        &plan,
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
         <echo xmlns='urn:t'><lines new='1'><other/><line/> x <other/><line/></lines></echo>\
         </e:Body></e:Envelope>",
    );
    assert_eq!((&*json, mismatches), (r#"{"lines":[[{},{}]]}"#, 4));
}
