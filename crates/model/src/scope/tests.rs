use serde_json::{Value, json};

use super::{Granted, Scope};

#[test]
fn a_scope_is_granted_freely_by_default() {
    let by_approval = |text: &str| Scope {
        text: text.to_owned(),
        granted: Granted::ByApproval,
    };
    for (written, expected) in [
        (json!("May read"), Scope::from("May read")),
        (json!({}), Scope::from("")),
        (json!({"text": "May read"}), Scope::from("May read")),
        (json!({"granted": "freely"}), Scope::from("")),
        (json!({"granted": "by_approval"}), by_approval("")),
        (
            json!({"text": "All", "granted": "by_approval"}),
            by_approval("All"),
        ),
    ] {
        let read: Scope = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(read, expected, "{written}");
        let shown = serde_json::to_value(&read).unwrap();
        assert!(shown["text"].is_string() && shown["granted"].is_string());
        assert_eq!(serde_json::from_value::<Scope>(shown).unwrap(), expected);
    }
    for written in [
        json!(null),
        json!(["May read"]),
        json!({"granted": "always"}),
        json!({"granted": "by_approval", "colour": "red"}),
    ] {
        let read = serde_json::from_value::<Scope>(Value::clone(&written));
        assert!(read.is_err(), "{written}");
    }
}
