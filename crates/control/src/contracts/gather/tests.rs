use std::io::{Cursor, Write as _};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tollgate_fetch::Fetcher;

use super::*;
use crate::bodies::Bodies;
use crate::importing::Importing;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"
    targetNamespace="urn:a"><import namespace="urn:b" location="/b.wsdl"/></definitions>"#;
const IMPORTED: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"
    targetNamespace="urn:b"/>"#;

/// Starts a server with these documents. Returns the URL of its folder.
async fn served(routes: Router) -> String {
    let server = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(server, routes).await });
    url
}

/// Returns a fetcher of documents from this machine, which count among the bodies.
fn fetcher(bodies: &Arc<Bodies>) -> DocumentFetcher {
    let fetcher = Fetcher::new("127.0.0.1".parse().unwrap());
    DocumentFetcher::new(fetcher, Duration::from_secs(15), Arc::clone(bodies))
}

fn request(media_type: &str, body: impl Into<Body>) -> Request {
    let request = Request::post("/").header(header::CONTENT_TYPE, media_type);
    request.body(body.into()).unwrap()
}

#[tokio::test]
async fn fetched_documents_of_a_contract_count_while_it_is_in_memory() {
    let routes = Router::new()
        .route("/a.wsdl", get(async || WSDL))
        .route("/b.wsdl", get(async || IMPORTED));
    let url = format!("{}/a.wsdl", served(routes).await);
    let bodies = Arc::new(Bodies::new(10_000));
    let request = request("application/json", json!({ "url": url }).to_string());
    let importing = Importing::default();
    let (fetcher, mut admission) = (fetcher(&bodies), importing.admission());
    let gathered = gather(&fetcher, &mut admission, request, None);
    let gathered = gathered.await.unwrap();
    assert_eq!(gathered.failures, []);
    assert_eq!(bodies.holding().bytes, WSDL.len() + IMPORTED.len());
    drop(gathered);
    assert_eq!(bodies.holding().bytes, 0);
}

#[tokio::test]
async fn an_archive_reserves_nothing_while_a_server_is_slow() {
    let [fetches, goes_on] = [(), ()].map(|()| Arc::new(Notify::new()));
    let [fetched, going_on] = [&fetches, &goes_on].map(Arc::clone);
    let imported = async move || {
        fetched.notify_one();
        going_on.notified().await;
        IMPORTED
    };
    let url = served(Router::new().route("/b.wsdl", get(imported))).await;
    let wsdl = WSDL.replace("/b.wsdl", &format!("{url}/b.wsdl"));
    let bodies = Arc::new(Bodies::new(10_000));
    let request = request("application/zip", archive(&[("a.wsdl", &wsdl)]));
    let (fetcher, importing) = (fetcher(&bodies), Importing::default());
    let mut admission = importing.admission();
    let gathering = gather(&fetcher, &mut admission, request, None);
    let other_import = async {
        fetches.notified().await;
        let mut other = importing.admission().without_wait();
        drop(other.reserve(BYTES_MAX).await.unwrap());
        assert_eq!(bodies.holding().bytes, wsdl.len());
        goes_on.notify_one();
    };
    let (gathered, ()) = tokio::join!(gathering, other_import);
    let gathered = gathered.unwrap();
    assert_eq!(gathered.failures, []);
    assert_eq!(bodies.holding().bytes, wsdl.len() + IMPORTED.len());
}

const SIGNED: &str = include_str!("../../../../soap/tests/cases/doctype.wsdl");
const COPY: &str = include_str!("../../../../soap/tests/cases/xmldsig-core-schema.xsd");

/// Returns an archive with these files.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(*name, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Gathers the contract in an archive. Returns the paths of its documents and the codes of notes,
/// or the code and the document of the refusal.
fn from_files(files: &[(&str, &str)], main: Option<&str>) -> String {
    let bytes = archive(files);
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
