//! The catalogue's documents of SOAP services: the OpenAPI document of a service as REST, and
//! third-party contracts with all that they refer to. Both contain only the gateway's address.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tollgate_testkit::Control;

use super::{House, PUBLIC, zipped};
use crate::house::{builder, user};

/// The address of the key manager, as clients see it.
const CONTROL: &str = "https://tollgate.example.com";

/// Contracts of the corpus that import and include other documents, each in its folder.
const FOREIGN: [&str; 6] = [
    "axis2/BaseDataTypesDocLitB/BaseDataTypesDocLitB.wsdl",
    "cxf/header_doc_lit/header_doc_lit.wsdl",
    "cxf/type_test_doclit_soap/type_test_doclit_soap.wsdl",
    "node-soap/wsdlImport/main.wsdl",
    "node-soap/xsdinclude/xsd_include.wsdl",
    "wsdltophp/wcf-Service1/Service1.wsdl",
];

/// Returns the folder of the corpus, as found by the tests of the crate `soap`.
fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("WSDL_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/wsdl"),
    };
    folder.join("README.md").is_file().then_some(folder)
}

/// Returns the files of a folder, by name.
fn files(folder: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).unwrap();
    let files = entries.map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        (name.to_owned(), std::fs::read_to_string(&path).unwrap())
    });
    files.collect()
}

/// Returns the locations in a document: of its ports, and of its imports and includes.
fn places(text: &str) -> BTreeSet<&str> {
    let after = text.split("ocation=\"").skip(1);
    let values = after.filter_map(|rest| rest.split('"').next());
    // `xsi:schemaLocation` contains pairs, which are only hints.
    values.filter(|value| !value.contains(' ')).collect()
}

/// Returns everything in a document that is a URL.
fn urls(text: &str) -> BTreeSet<String> {
    let urls = text.match_indices("://").map(|(at, _)| {
        let scheme = text[..at].rfind(|letter: char| !letter.is_ascii_alphanumeric());
        let rest = text[at + 3..].find(['"', ' ', '<', '`', '\\']);
        let end = rest.map_or(text.len(), |rest| at + 3 + rest);
        text[scheme.map_or(0, |it| it + 1)..end].to_owned()
    });
    urls.collect()
}

async fn developer(house: &House) -> Control {
    user(&house.admin, &house.tollgate, ("dana", &["developer"])).await
}

#[tokio::test]
async fn the_document_of_rest_over_soap_contains_only_the_gateways_address() {
    let builder = builder().set("gateway-public-url", PUBLIC);
    let builder = builder.set("control-public-url", CONTROL);
    let contract = ("text/xml", include_bytes!("rest/shop.wsdl").as_slice());
    let house = House::of(&builder, "kind=soap_to_rest", contract).await;
    let path = |part: &str| format!("/api/v1/versions/{}/{part}", house.api.version);
    let draft = house.admin.done("GET", &path("draft"), None).await.unwrap();
    let mut soap = draft["soap"].clone();
    let [operations, resources] = ["operations", "rest"].map(|name| soap[name].take());
    let mut operations = operations.as_array().unwrap().clone();
    for operation in &mut operations {
        if operation["name"] == "getOrder" {
            operation["scopes"] = json!(["orders:read"]);
        }
    }
    let mut resources = resources["resources"].as_array().unwrap().clone();
    let is_order = |it: &&mut Value| it["operation"] == "getOrder";
    let at = resources.iter_mut().find(is_order).unwrap()["path"].clone();
    let off = resources.iter_mut().find(|it| !is_order(it)).unwrap();
    off["enabled"] = json!(false);
    let off = off["path"].clone();
    let security = json!({ "api_key": { "header": "X-Shop" }, "oauth2": {},
        "scopes": { "orders:read": "May read" } });
    let soap = json!({ "operations": operations, "rest": { "resources": resources } });
    house
        .redeploy(json!({ "security": security, "soap": soap }))
        .await;

    let dana = developer(&house).await;
    let place = format!("/api/v1/catalogue/{}/document", house.api.version);
    let document = dana.done("GET", &place, None).await.unwrap();
    let server = json!([{ "url": format!("{PUBLIC}/orders/1.0") }]);
    assert_eq!(document["servers"], server);
    let token_url = format!("{CONTROL}/oauth2/token");
    let flow = json!({ "tokenUrl": token_url, "scopes": { "orders:read": "May read" } });
    let schemes = json!({
        "api_key": { "type": "apiKey", "in": "header", "name": "X-Shop" },
        "oauth2": { "type": "oauth2", "flows": { "clientCredentials": flow } },
    });
    assert_eq!(document["components"]["securitySchemes"], schemes);
    let either = json!([{ "api_key": [] }, { "oauth2": [] }]);
    assert_eq!(document["security"], either);
    let order = &document["paths"][at.as_str().unwrap()]["get"];
    assert_eq!(order["security"], json!([{ "oauth2": ["orders:read"] }]));
    assert_eq!(document["paths"].get(off.as_str().unwrap()), None);
    let text = document.to_string();
    assert_eq!(text.matches("\"servers\"").count(), 1);
    let named = [format!("{PUBLIC}/orders/1.0"), token_url];
    assert_eq!(urls(&text), BTreeSet::from(named));
}

impl House {
    /// Publishes a third-party contract at its own context; returns its version.
    async fn publish(&self, files: &[(String, String)], main: &str, context: &str) -> String {
        let path =
            format!("/api/v1/apis/import/wsdl?context=%2F{context}&name={context}&main={main}");
        let archive = zipped(files);
        let sent = self
            .admin
            .send_bytes("POST", &path, "application/zip", &archive);
        let made = sent.await.unwrap();
        assert_eq!(made.status, 201, "{main}: {}", made.text());
        let version = made.json()["version"]["id"].as_str().unwrap().to_owned();
        self.admin
            .upstream(&version, &self.upstream.url())
            .await
            .unwrap();
        self.admin.attach(&version, &["tested"]).await.unwrap();
        self.admin.lifecycle(&version, "published").await.unwrap();
        version
    }
}

#[tokio::test]
async fn third_party_contracts_contain_only_the_gateways_address_with_all_references() {
    let Some(corpus) = corpus() else {
        eprintln!("the corpus is not there: name its folder with WSDL_CORPUS");
        return;
    };
    let house = House::new().await;
    let dana = developer(&house).await;
    for (number, main) in FOREIGN.into_iter().enumerate() {
        let (folder, name) = main.rsplit_once('/').unwrap();
        let files = files(&corpus.join(folder));
        let context = format!("foreign-{number}");
        let version = house.publish(&files, name, &context).await;
        let at = format!("{PUBLIC}/{context}/1.0");
        let (mut requested, mut open) = (BTreeSet::new(), vec!["wsdl".to_owned()]);
        let mut ports = 0;
        while let Some(query) = open.pop() {
            if !requested.insert(query.clone()) {
                continue;
            }
            let escaped = query.replace('=', "%3D");
            let path = format!("/api/v1/catalogue/{version}/contract?document={escaped}");
            let answer = dana.send("GET", &path, None).await.unwrap();
            assert_eq!(answer.status, 200, "{main} {query}: {}", answer.text());
            let text = answer.text();
            // It is the contract that callers get at the gateway.
            let served = house.get(&format!("/{context}/1.0?{query}")).await;
            assert_eq!(served.text(), text, "{main} {query}");
            for place in places(&text) {
                match place.strip_prefix(&at) {
                    Some("") => ports += 1,
                    Some(below) => open.push(below.strip_prefix('?').unwrap().to_owned()),
                    None => panic!("{main} {query} names {place}"),
                }
            }
        }
        assert_eq!(ports, 1, "{main}");
        assert_eq!(requested.len(), files.len(), "{main}: {requested:?}");
    }
}
