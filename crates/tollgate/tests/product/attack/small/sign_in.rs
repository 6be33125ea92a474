//! Small faults around the first sign-in.

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use tollgate_testkit::{Builder, Control, http};

use crate::house::first_start;

#[tokio::test]
async fn the_first_password_is_deleted_once_used_and_stays_valid_until_changed() {
    let tollgate = first_start().start().unwrap();
    let (name, one_time) = tollgate.password.clone().unwrap();
    let stranger = Control::stranger(tollgate.control);
    stranger.sign_in(&name, &one_time).await.unwrap();

    // The session ends before the change.
    let tollgate = tollgate.kill().unwrap().start().unwrap();
    assert_eq!(tollgate.password, None, "{}", tollgate.said());
    let stranger = Control::stranger(tollgate.control);
    let admin = stranger.settle_in(&name, &one_time).await.unwrap();
    admin.done("GET", "/api/v1/users", None).await.unwrap();

    let (_, builder) = tollgate.terminate().unwrap();
    builder.command(&["admin", "reset"]).unwrap();
    let tollgate = builder.start().unwrap();
    let (_, again) = tollgate.password.as_ref().unwrap();
    assert_ne!(*again, one_time);
}

#[tokio::test]
async fn a_start_without_changes_writes_nothing() {
    let tollgate = first_start().start().unwrap();
    let mark = |builder: &Builder| fs::read(builder.data().join("tollgate.db.mark")).unwrap();
    let (_, builder) = tollgate.terminate().unwrap();
    let before = mark(&builder);
    let (_, builder) = builder.start().unwrap().terminate().unwrap();
    assert_eq!(mark(&builder), before);
}

#[tokio::test]
async fn a_used_first_password_is_in_no_byte_of_the_data_after_a_stop() {
    let tollgate = first_start().start().unwrap();
    let (name, one_time) = tollgate.password.clone().unwrap();
    let holds = |data: PathBuf| {
        ["tollgate.db", "tollgate.db-wal"].map(|file| {
            let bytes = fs::read(data.join(file)).unwrap_or_default();
            let mut places = bytes.windows(one_time.len());
            places.any(|place| place == one_time.as_bytes())
        })
    };
    assert!(holds(tollgate.data()).contains(&true));
    // The file itself contains it before it is erased there.
    let tollgate = tollgate.terminate().unwrap().1.start().unwrap();
    assert!(holds(tollgate.data())[0]);
    let stranger = Control::stranger(tollgate.control);
    stranger.sign_in(&name, &one_time).await.unwrap();
    let (_, builder) = tollgate.terminate().unwrap();
    assert_eq!(holds(builder.data()), [false, false]);
}

#[tokio::test]
async fn two_credentials_are_refused_even_if_one_is_valid() {
    let tollgate = first_start().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let body = json!({"name": "script"});
    let token = admin.done("POST", "/api/v1/access-tokens", Some(&body));
    let token = token.await.unwrap();
    let good = format!("Bearer {}", token["token"].as_str().unwrap());
    for pair in [
        [good.as_str(), "Bearer tgp_no"],
        ["Basic eDp5", &good],
        [&good, &good],
    ] {
        let fields = pair.map(|value| ("Authorization", value));
        for path in ["/api/v1/users", "/healthz"] {
            let request = http::request("GET", path, &fields, b"");
            let answer = http::call(tollgate.control, &request).await.unwrap();
            assert_eq!(answer.status, 400, "{path} {pair:?}");
            assert_eq!(answer.code(), "authorization.repeated");
        }
    }
}
