use std::io::{Cursor, Write as _};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use serde_json::json;
use tokio::net::TcpListener;
use tollgate_fetch::Fetcher;

use super::*;
use crate::bodies::Bodies;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"
    targetNamespace="urn:a"><import namespace="urn:b" location="/b.wsdl"/></definitions>"#;
const IMPORTED: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"
    targetNamespace="urn:b"/>"#;

#[tokio::test]
async fn fetched_documents_of_a_contract_count_while_it_is_in_memory() {
    let server = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}/a.wsdl", server.local_addr().unwrap());
    let routes = Router::new()
        .route("/a.wsdl", get(async || WSDL))
        .route("/b.wsdl", get(async || IMPORTED));
    tokio::spawn(async move { axum::serve(server, routes).await });
    let bodies = Arc::new(Bodies::new(10_000));
    let fetcher = Fetcher::new("127.0.0.1".parse().unwrap());
    let fetcher = DocumentFetcher::new(fetcher, Duration::from_secs(15), Arc::clone(&bodies));
    let request = Request::post("/")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(json!({ "url": url }).to_string()))
        .unwrap();
    let importing = Importing::default();
    let gathered = gather(&fetcher, &importing, request, None).await.unwrap();
    assert_eq!(gathered.failures, []);
    assert_eq!(bodies.holding().bytes, WSDL.len() + IMPORTED.len());
    drop(gathered);
    assert_eq!(bodies.holding().bytes, 0);
}

const SIGNED: &str = include_str!("../../../../soap/tests/cases/doctype.wsdl");
const COPY: &str = include_str!("../../../../soap/tests/cases/xmldsig-core-schema.xsd");

/// Gathers the contract in an archive. Returns the paths of its documents and the codes of notes,
/// or the code and the document of the refusal.
fn from_files(files: &[(&str, &str)], main: Option<&str>) -> String {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(*name, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    let refused = |code: &str, detail: &str| {
        let document = detail.split([':', ' ']).next().unwrap_or_default();
        format!("{code} {document}")
    };
    let gathered = match from_archive(&bytes, main.map(str::to_owned)) {
        Ok(gathered) => gathered,
        Err(fault) => return refused(&fault.code, &fault.detail),
    };
    assert_eq!(gathered.failures, []);
    let read = match tollgate_soap::import::read(&gathered.set, &gathered.main) {
        Ok(read) => read,
        Err(error) => return refused(error.code(), &error.to_string()),
    };
    let documents = gathered.contract().documents.into_iter();
    let paths = documents.map(|document| document.requested);
    let codes = read.report.notes.into_iter().map(|note| note.code);
    paths.chain(codes).collect::<Vec<_>>().join(" ")
}

#[test]
fn files_of_an_archive_that_the_contract_does_not_reach_are_not_read() {
    let doctype = format!("<!DOCTYPE d [<!ENTITY a 'b'>]>{WSDL}");
    let [main, copy] = [("m.wsdl", SIGNED), ("xmldsig-core-schema.xsd", COPY)];
    let including = SIGNED.replace(
        "</types>",
        "<xs:schema targetNamespace='urn:t'>\
        <xs:include schemaLocation='own.xsd'/></xs:schema></types>",
    );
    let including = ("m.wsdl", &*including);
    let own = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"/>"#;
    let own_doctype = format!("<!DOCTYPE schema>{own}");
    let [doctype, own_doctype] = [("o.wsdl", &*doctype), ("own.xsd", &*own_doctype)];
    let rows: [(&[(&str, &str)], _, _); 15] = [
        (&[main], None, "m.wsdl"),
        // Copies of built-in schemas.
        (&[main, copy], None, "m.wsdl"),
        (&[main, (copy.0, "<")], None, "m.wsdl"),
        // Files that are not a part of the contract.
        (&[main, ("o.xsd", "<")], None, "m.wsdl"),
        (&[main, own_doctype], None, "m.wsdl"),
        (&[main, ("o.xml", "<!DOCTYPE html><html>")], None, "m.wsdl"),
        (&[main, doctype], Some("m.wsdl"), "m.wsdl"),
        (&[main, doctype], None, "m.wsdl"),
        (&[main, ("o.wsdl", "<a")], None, "m.wsdl"),
        // The main one.
        (&[doctype], None, "wsdl.doctype o.wsdl"),
        (&[doctype], Some("o.wsdl"), "wsdl.doctype o.wsdl"),
        (&[("o.wsdl", "<a")], None, "wsdl.malformed o.wsdl"),
        // Files that are a part of it.
        (&[including, ("own.xsd", own)], None, "m.wsdl own.xsd"),
        (
            &[including, own_doctype],
            None,
            "m.wsdl own.xsd wsdl.doctype",
        ),
        (
            &[including, ("own.xsd", "<")],
            None,
            "wsdl.malformed own.xsd",
        ),
    ];
    for (files, main, expected) in rows {
        assert_eq!(from_files(files, main), expected, "{files:?}");
    }
}
