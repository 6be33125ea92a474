//! Number 12: small faults. Those of the control plane are here, others in the files beside.

mod empty_line;
mod help;
mod sign_in;

use serde_json::{Value, json};
use tollgate_testkit::Answer;

use crate::house::{DOCUMENT, House};
use crate::soap;

fn outcome(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

#[tokio::test]
async fn an_import_is_json_or_yaml_and_an_archive_has_no_duplicate_names() {
    let house = House::new().await;
    let import = async |media_type: &str, name: &str| {
        let path = format!("/api/v1/apis/import?context=%2F{name}&name={name}");
        let body = DOCUMENT.as_bytes();
        let sent = house.admin.send_bytes("POST", &path, media_type, body);
        outcome(&sent.await.unwrap())
    };
    let refused = (415, "body.type".to_owned());
    for media_type in [
        "text/html",
        "text/plain",
        "application/octet-stream",
        "application/x-www-form-urlencoded",
        "application/xml+jsonish",
        ";",
    ] {
        assert_eq!(import(media_type, "no").await, refused, "{media_type}");
    }
    for (name, media_type) in [
        ("a", "application/json"),
        ("b", "Application/YAML; charset=utf-8"),
        ("c", "text/yaml"),
        ("d", "application/vnd.oai.openapi"),
        ("e", "application/vnd.oai.openapi+yaml; version=3.0"),
    ] {
        assert_eq!(import(media_type, name).await.0, 201, "{media_type}");
    }
    assert_eq!(import("", "f").await.0, 201);

    // The writer rejects duplicate names, so the name of one file is overwritten.
    let mut archive = soap::archive();
    let (old, new) = (b"contract/readme.txt", b"contract/common.xsd");
    let places: Vec<usize> = (0..archive.len() - old.len())
        .filter(|&at| archive[at..].starts_with(old))
        .collect();
    assert_eq!(places.len(), 2);
    for at in places {
        archive[at..at + new.len()].copy_from_slice(new);
    }
    let path = "/api/v1/apis/import/wsdl?context=%2Fzip";
    let sent = house
        .admin
        .send_bytes("POST", path, "application/zip", &archive);
    assert_eq!(
        outcome(&sent.await.unwrap()),
        (422, "archive.repeated".to_owned())
    );
}

/// Returns every paged list of the OpenAPI document, with an id in its path where it has one.
fn lists(document: &Value, house: &House) -> Vec<(String, bool)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let lists = paths.filter_map(|(path, item)| {
        let mut parameters = item["get"]["parameters"].as_array()?.iter();
        let after = parameters.find(|parameter| parameter["name"] == "after")?;
        let path = path
            .replace("{api}", &house.api.api)
            .replace("{version}", &house.api.version)
            .replace("{application}", &house.consumer.application);
        let types = after["schema"]["type"].to_string();
        Some((path, types.contains("integer")))
    });
    lists.collect()
}

#[tokio::test]
async fn a_page_after_the_largest_possible_id_is_refused() {
    let house = House::new().await;
    let document = house.admin.done("GET", "/api/v1/openapi.json", None);
    let lists = lists(&document.await.unwrap(), &house);
    assert!(lists.len() >= 9, "{lists:?}");
    assert!(lists.iter().any(|(_, is_number)| *is_number));
    for (list, is_number) in lists {
        let beyond: &[&str] = match is_number {
            true => &[
                "2147483648",
                "4294967295",
                "4294967296",
                "9223372036854775808",
                "-1",
            ],
            // The greatest id is …_AzL8n0Y58m7, of 2^63 - 1.
            false => &[
                "AzL8n0Y58m8",
                "zzzzzzzzzzz",
                "00000000000",
                "9223372036854775808",
                "%00",
            ],
        };
        for after in beyond {
            let prefixes: &[&str] = match is_number {
                true => &[""],
                false => &[
                    "", "api_", "ver_", "usr_", "pln_", "app_", "key_", "sub_", "pat_",
                ],
            };
            for prefix in prefixes {
                let path = format!("{list}?after={prefix}{after}");
                let answer = house.admin.send("GET", &path, None).await.unwrap();
                assert_eq!(answer.status, 400, "{path}: {}", answer.text());
            }
        }
        if is_number {
            let last = format!("{list}?after=2147483647");
            let page = house.admin.done("GET", &last, None).await.unwrap();
            assert_eq!(page["items"], json!([]), "{last}");
        }
    }
}

#[tokio::test]
async fn a_plan_is_found_by_its_name_and_a_second_subscription_is_refused() {
    let house = House::new().await;
    let admin = &house.admin;
    let send = async |method: &str, path: &str, body: Option<Value>| {
        admin.send(method, path, body.as_ref()).await.unwrap()
    };
    // Names that look like ids, need escaping in URLs, or look like another plan.
    let names = ["pln_00000000001", "gold / \u{e9}t\u{e9}", "Gold"];
    for name in names {
        let made = json!({ "name": name, "unlimited": true });
        let made = admin.done("POST", "/api/v1/plans", Some(&made)).await;
        let id = made.unwrap()["id"].clone();
        let path = format!("/api/v1/plans/{}", escaped(name));
        let seen = admin.done("GET", &path, None).await.unwrap();
        assert_eq!(seen["id"], id, "{name}");
        let changed = json!({ "name": name, "title": "named", "unlimited": true });
        let changed = admin.replace(&path, &changed).await.unwrap();
        assert_eq!((&changed["id"], &changed["title"]), (&id, &json!("named")));
    }
    let offer = json!([names[0], names[1], names[2], "tested"]);
    let path = format!("/api/v1/versions/{}/plans", house.api.version);
    let offered = admin.done("PUT", &path, Some(&offer)).await.unwrap();
    let offered = offered.as_array().unwrap().iter();
    let offered: Vec<_> = offered.map(|plan| plan["name"].clone()).collect();
    assert_eq!(json!(offered), offer);
    for name in names {
        let application = admin.application(name).await.unwrap();
        let subscription = admin
            .subscribe(&application, &house.api.version, name)
            .await;
        let path = format!("/api/v1/subscriptions/{}", subscription.unwrap());
        for plan in ["tested", name] {
            let change = json!({ "plan": plan });
            admin.done("PATCH", &path, Some(&change)).await.unwrap();
        }
        let twice = json!({
            "application": application, "version": house.api.version, "plan": "tested",
        });
        let twice = send("POST", "/api/v1/subscriptions", Some(twice)).await;
        assert_eq!(outcome(&twice), (409, "subscription.exists".to_owned()));
        assert_eq!(twice.json()["errors"][0]["field"], "/version");
    }
    let unknown = send("GET", "/api/v1/plans/bold", None).await;
    assert_eq!(outcome(&unknown), (404, "plan.unknown".to_owned()));
    let spare = json!({ "name": "spare", "unlimited": true });
    admin
        .done("POST", "/api/v1/plans", Some(&spare))
        .await
        .unwrap();
    assert_eq!(
        send("DELETE", "/api/v1/plans/spare", None).await.status,
        204
    );
    assert_eq!(
        send("DELETE", "/api/v1/plans/spare", None).await.status,
        404
    );
}

/// Returns a name as one segment of a path.
fn escaped(name: &str) -> String {
    let bytes = name.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    bytes.collect()
}
