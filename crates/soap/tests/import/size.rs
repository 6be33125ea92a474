//! Large contracts, within the bounds of time and memory for one import.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use tollgate_soap::compile::{Choice, Compiled, compile};
use tollgate_soap::import::{Documents, read};

use crate::soundness;

/// The maximum memory for one import, of the whole process.
const MEMORY_MAX: u64 = 1 << 30;

/// Returns the peak memory of this process; `None` if the system does not report it.
pub(crate) fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Returns the maximum time for an import: high, because tests run without optimisation and in
/// parallel.
fn time_max() -> Duration {
    Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 5 })
}

fn wsdl(schema: &str) -> String {
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
            xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
            xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
          <types><xs:schema targetNamespace="urn:t">{schema}</xs:schema></types>
          <message name="M"><part name="p" element="t:request"/></message>
          <portType name="P"><operation name="call"><input message="t:M"/></operation></portType>
          <binding name="B" type="t:P">
            <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
            <operation name="call"><input><soap:body use="literal"/></input></operation>
          </binding>
          <service name="S"><port name="P" binding="t:B"/></service>
        </definitions>"#
    )
}

/// Imports and compiles within the bounds.
#[expect(clippy::print_stdout, reason = "shown with --nocapture: what it took")]
fn compiled(wsdl: &str) -> Compiled {
    let start = Instant::now();
    let mut documents = Documents::default();
    documents
        .add("main.wsdl", wsdl.as_bytes())
        .expect("a document");
    let imported = read(&documents, "main.wsdl").expect("a contract");
    let compiled = compile(&imported, &Choice::default()).expect("a plan");
    let took = start.elapsed();
    println!(
        "{} bytes, {} types, {took:?}",
        wsdl.len(),
        compiled.plan.types.len()
    );
    assert!(took < time_max(), "{took:?}");
    soundness::check(&compiled.plan);
    compiled
}

// rest.import.4_mb
#[test]
fn a_contract_of_4_mb_is_imported_in_time_and_memory() {
    let mut schema = String::from(r#"<xs:element name="request" type="t:Type0"/>"#);
    for at in 0..4_800 {
        let (next, other) = ((at + 1) % 4_800, (at * 31 + 5) % 4_800);
        write!(
            schema,
            r#"<xs:complexType name="Type{at}"><xs:annotation><xs:documentation>Says what it is
            for, as tools write it.</xs:documentation></xs:annotation><xs:sequence>
            <xs:element name="next" type="t:Type{next}" minOccurs="0" maxOccurs="unbounded"/>
            <xs:element name="other" type="t:Type{other}" minOccurs="0" nillable="true"/>
            <xs:element name="id"><xs:simpleType><xs:restriction base="xs:string">
              <xs:pattern value="[A-Z]{{2}}\d{{6}}"/><xs:maxLength value="8"/>
            </xs:restriction></xs:simpleType></xs:element>
            <xs:element name="part"><xs:complexType><xs:sequence>
              <xs:element name="amount" type="xs:decimal"/>
              <xs:element name="at" type="xs:dateTime"/>
            </xs:sequence><xs:attribute name="key" type="xs:NCName"/></xs:complexType></xs:element>
            </xs:sequence></xs:complexType>"#
        )
        .expect("a string grows");
    }
    assert!(schema.len() > 4_000_000, "{} bytes", schema.len());
    let compiled = compiled(&wsdl(&schema));
    assert_eq!(compiled.warnings, []);
    assert!(compiled.plan.types.len() > 9_000);
    if let Some(peak) = peak_bytes() {
        assert!(peak < MEMORY_MAX, "{peak} bytes");
    }
}

#[test]
fn long_chains_of_types_are_not_deep() {
    let mut schema = String::from(r#"<xs:element name="request" type="t:Type0"/>"#);
    for at in 0..15_000 {
        write!(
            schema,
            r#"<xs:complexType name="Type{at}"><xs:sequence>
            <xs:element name="next" type="t:Type{}"/><xs:element name="same">
            <xs:complexType/></xs:element></xs:sequence></xs:complexType>"#,
            (at + 1) % 15_000
        )
        .expect("a string grows");
    }
    let compiled = compiled(&wsdl(&schema));
    assert_eq!(compiled.plan.operations[0].proxy_only, None);
    assert_eq!(compiled.plan.types.len(), 30_000);
}

#[test]
fn many_bases_in_a_row_are_refused_in_time() {
    let mut schema = String::from(
        r#"<xs:element name="request" type="t:Type0"/>
           <xs:complexType name="Type15000"/>"#,
    );
    for at in 0..15_000 {
        write!(
            schema,
            r#"<xs:complexType name="Type{at}"><xs:complexContent><xs:extension base="t:Type{}">
            <xs:attribute name="a{at}"/></xs:extension></xs:complexContent></xs:complexType>"#,
            at + 1
        )
        .expect("a string grows");
    }
    let compiled = compiled(&wsdl(&schema));
    assert!(compiled.plan.operations[0].proxy_only.is_some());
}
