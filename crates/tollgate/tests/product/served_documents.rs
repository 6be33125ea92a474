//! Documents of versions and their parts as downloads: compressed as each client accepts, sent
//! again only after a change, visible to those who may see the catalogue.

use std::io::Read as _;

use serde_json::{Value, json};
use tollgate_testkit::http::{self, Answer};

use crate::house::{House, builder, user};

/// The served parts of a version with an OpenAPI document.
const PARTS: [&str; 3] = ["document", "operations", "operations/get-pets-pet"];

/// A developer who reads the catalogue's documents of a published API.
struct Reader {
    house: House,
    token: String,
}

impl Reader {
    async fn new() -> Self {
        let house = House::new().await;
        let dana = user(&house.admin, &house.tollgate, ("dana", &["developer"])).await;
        let body = json!({ "name": "reads" });
        let token = dana.done("POST", "/api/v1/access-tokens", Some(&body));
        let token = token.await.unwrap()["token"].as_str().unwrap().to_owned();
        Self { house, token }
    }

    fn path(&self, part: &str) -> String {
        format!("/api/v1/catalogue/{}/{part}", self.house.api.version)
    }

    async fn read(&self, part: &str, fields: &[(&str, &str)]) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let fields = [&[("Authorization", &*bearer)], fields].concat();
        let request = http::request("GET", &self.path(part), &fields, b"");
        let control = self.house.tollgate.control;
        http::call(control, &request).await.unwrap()
    }
}

/// Returns the uncompressed body.
fn plain(answer: &Answer) -> Vec<u8> {
    let mut plain = Vec::new();
    match answer.field("content-encoding") {
        Some("br") => {
            let mut decoder = brotli::Decompressor::new(&*answer.body, 4096);
            decoder.read_to_end(&mut plain).unwrap();
        }
        Some("gzip") => {
            let mut decoder = flate2::read::GzDecoder::new(&*answer.body);
            decoder.read_to_end(&mut plain).unwrap();
        }
        coding => {
            assert_eq!(coding, None);
            plain.clone_from(&answer.body);
        }
    }
    plain
}

#[tokio::test]
async fn each_part_is_sent_in_the_accepted_coding_and_once() {
    let reader = Reader::new().await;
    for part in PARTS {
        let whole = reader.read(part, &[]).await;
        assert_eq!(whole.status, 200, "{part}: {}", whole.text());
        let mut tags = Vec::new();
        for (accepted, coding) in [
            ("identity", None),
            ("gzip, deflate, br, zstd", Some("br")),
            ("gzip", Some("gzip")),
            ("br;q=0, gzip;q=0.5", Some("gzip")),
            ("br;q=0, gzip;q=0", None),
        ] {
            let fields = [("Accept-Encoding", accepted)];
            let answer = reader.read(part, &fields).await;
            assert_eq!(
                answer.field("content-encoding"),
                coding,
                "{part} {accepted}"
            );
            assert_eq!(answer.field("content-type"), Some("application/json"));
            assert_eq!(answer.field("cache-control"), Some("private, no-cache"));
            assert_eq!(answer.field("vary"), Some("Accept-Encoding"));
            assert_eq!(plain(&answer), whole.body, "{part} {accepted}");
            let tag = answer.field("etag").unwrap().to_owned();
            let known = [fields[0], ("If-None-Match", &*tag)];
            let again = reader.read(part, &known).await;
            assert_eq!((again.status, again.body.len()), (304, 0));
            assert_eq!(again.field("etag"), Some(&*tag));
            assert_eq!(again.field("cache-control"), Some("private, no-cache"));
            tags.push(tag);
        }
        assert!(tags[0] != tags[1] && tags[1] != tags[2], "{part}: {tags:?}");
        assert_eq!((&tags[2], &tags[0]), (&tags[3], &tags[4]));
    }
}

#[tokio::test]
async fn a_deployment_changes_every_part() {
    let reader = Reader::new().await;
    let mut tags = Vec::new();
    for part in PARTS {
        let answer = reader.read(part, &[]).await;
        tags.push(answer.field("etag").unwrap().to_owned());
    }
    let operations = json!([{ "method": "GET", "path": "/pets" }]);
    reader
        .house
        .redeploy(json!({ "operations": operations }))
        .await;
    for (part, tag) in PARTS.iter().zip(&tags) {
        let answer = reader.read(part, &[("If-None-Match", tag)]).await;
        match *part {
            "operations/get-pets-pet" => assert_eq!(answer.code(), "operation.unknown"),
            part => assert_eq!(answer.status, 200, "{part}"),
        }
    }
    let list: Value = reader.read("operations", &[]).await.json();
    assert_eq!(list["operations"].as_array().unwrap().len(), 1);
    assert_eq!(list["operations"][0]["id"], "get-pets");
}

#[tokio::test]
async fn parts_are_visible_to_those_who_may_see_the_catalogue() {
    let reader = Reader::new().await;
    let control = reader.house.tollgate.control;
    for part in PARTS {
        let request = http::request("GET", &reader.path(part), &[], b"");
        let stranger = http::call(control, &request).await.unwrap();
        assert_eq!(stranger.status, 401, "{part}");
    }
    let path = format!("/api/v1/versions/{}/lifecycle", reader.house.api.version);
    let block = json!({ "to": "blocked" });
    let blocked = reader.house.admin.done("POST", &path, Some(&block));
    blocked.await.unwrap();
    for part in PARTS {
        let hidden = reader.read(part, &[]).await;
        assert_eq!(
            (hidden.status, &*hidden.code()),
            (404, "version.unknown"),
            "{part}"
        );
    }
    let open = House::with(&builder().set("control-open-catalogue", "true"), json!([])).await;
    for part in PARTS {
        let path = format!("/api/v1/catalogue/{}/{part}", open.api.version);
        let request = http::request("GET", &path, &[], b"");
        let visitor = http::call(open.tollgate.control, &request).await.unwrap();
        assert_eq!(visitor.status, 200, "{part}");
    }
}
