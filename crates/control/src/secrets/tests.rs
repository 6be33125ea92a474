use serde_json::{Value, json};

use super::*;

fn configuration(back_end: &Value) -> Configuration {
    let rest = json!({ "resources": [], "back_end": back_end });
    let soap = json!({ "contract": "c", "service": "s", "port": "p", "rest": rest });
    serde_json::from_value(json!({ "soap": soap })).unwrap()
}

fn both(token: &str, basic: &str) -> Value {
    json!({
        "username_token": { "name": "us", "password": token },
        "basic": { "name": "us", "password": basic },
    })
}

#[test]
fn nobody_reads_a_secret_again_in_whatever_way() {
    let configuration = configuration(&both("s3cr3t-one", "s3cr3t-two"));
    assert!(!format!("{configuration:?}").contains("s3cr3t"));
    let shown = serde_json::to_value(Shown::from(configuration)).unwrap();
    assert!(!shown.to_string().contains("s3cr3t"), "{shown}");
    assert_eq!(
        shown["soap"]["rest"]["back_end"]["basic"]["password"],
        "***"
    );
}

#[test]
fn a_mask_means_what_was_there_and_nothing_else_does() {
    let before = configuration(&both("one", "two"));
    let mut now = configuration(&both("***", "new"));
    assert_eq!(unmask(&mut now, before), []);
    assert_eq!(now, configuration(&both("one", "new")));
    let mut now = configuration(&both("***", "***"));
    let basic_only = json!({ "basic": { "name": "us", "password": "two" } });
    assert_eq!(unmask(&mut now, configuration(&basic_only)), []);
    let faults = now.soap.unwrap().rest.unwrap().faults();
    let faults: Vec<_> = faults.iter().map(|it| (&*it.field, &*it.code)).collect();
    assert_eq!(
        faults,
        [("/back_end/username_token/password", "soap.password")]
    );
}
