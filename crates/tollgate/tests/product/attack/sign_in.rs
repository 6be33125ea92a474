//! Number 6: password guessing, names that look alike, and forged client addresses.

use serde_json::{Value, json};
use tollgate_testkit::control::PASSWORD;
use tollgate_testkit::{Control, Tollgate, http};

use crate::house::{House, builder};
use crate::start::{logged, sql};

const SESSION: &str = "/api/v1/session";
const USERS: &str = "/api/v1/users";
/// Failures that lock a name for an address, and an address for all names.
const NAME_MAX: usize = 10;
const ADDRESS_MAX: usize = 50;

/// Attempts to sign in through a proxy that reports this client address.
async fn sign_in(tollgate: &Tollgate, name: &str, password: &str, from: &str) -> (u16, String) {
    let body = json!({"name": name, "password": password}).to_string();
    let fields = [
        ("X-Forwarded-For", from),
        ("Content-Type", "application/json"),
        ("Connection", "close"),
    ];
    let request = http::request("POST", SESSION, &fields, body.as_bytes());
    let answer = http::call(tollgate.control, &request).await.unwrap();
    (answer.status, answer.code())
}

fn closed() -> (u16, String) {
    (429, "session.too_many".to_owned())
}

/// Creates a user; returns the path and the one-time password.
async fn user(admin: &Control, name: &str) -> (String, String) {
    let body = json!({"name": name, "roles": ["developer"]});
    let made = admin.done("POST", USERS, Some(&body)).await.unwrap();
    let text = |field: &str| made[field].as_str().unwrap().to_owned();
    (format!("{USERS}/{}", text("id")), text("one_time_password"))
}

#[tokio::test]
async fn few_passwords_for_many_names_lock_the_address_that_a_trusted_proxy_reports() {
    let builder = builder().set("control-trusted-proxies", "127.0.0.0/8, 10.0.0.0/8");
    let tollgate = builder.start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let (path, one_time) = user(&admin, "dana").await;
    for number in 0..ADDRESS_MAX {
        // Addresses claimed by the client, before the proxy's own entry, are ignored.
        let from = format!("6.6.6.{number}, 192.0.2.7, 10.0.0.1");
        let name = format!("user {number}");
        let (status, _) = sign_in(&tollgate, &name, "Summer2026!!", &from).await;
        assert_eq!(status, 401, "{number}");
    }
    let spraying = sign_in(&tollgate, "dana", &one_time, "192.0.2.7").await;
    assert_eq!(spraying, closed());
    let (status, _) = sign_in(&tollgate, "dana", &one_time, "192.0.2.8").await;
    assert_eq!(status, 201, "another address is open");
    logged(
        &tollgate,
        "session.address_locked: name \"dana\" from 192.0.2.7",
    )
    .await;
    let line = logged(&tollgate, "session.signed_in: ses_").await;
    assert!(!tollgate.said().contains(&one_time), "{line}");
    logged(&tollgate, "by \"dana\"").await;

    // A reset unlocks a name that is locked for two addresses.
    for from in ["192.0.2.20", "192.0.2.21, malformed, 10.0.0.1"] {
        for _ in 0..NAME_MAX {
            sign_in(&tollgate, "dana", "not the password", from).await;
        }
        assert_eq!(sign_in(&tollgate, "dana", &one_time, from).await, closed());
    }
    logged(&tollgate, "session.locked: name \"dana\" from 192.0.2.20").await;
    let reset = json!({"reset_password": true});
    let reset = admin.done("PATCH", &path, Some(&reset)).await.unwrap();
    let one_time = reset["one_time_password"].as_str().unwrap();
    for from in ["192.0.2.20", "10.0.0.1"] {
        let (status, _) = sign_in(&tollgate, "dana", one_time, from).await;
        assert_eq!(status, 201, "{from}");
    }
}

#[tokio::test]
async fn a_claimed_address_without_a_trusted_proxy_is_ignored() {
    let tollgate = builder().start().unwrap();
    for number in 0..NAME_MAX {
        let from = format!("192.0.2.{number}");
        let (status, _) = sign_in(&tollgate, "dana", "not the password", &from).await;
        assert_eq!(status, 401);
    }
    let again = sign_in(&tollgate, "dana", "not the password", "192.0.2.99").await;
    assert_eq!(again, closed());
    // Users may enter passwords as names: an unknown name is not logged.
    let line = "session.failed: an unknown name, from 127.0.0.1";
    logged(&tollgate, line).await;
    assert!(!tollgate.said().contains("dana"), "{}", tollgate.said());
}

#[tokio::test]
async fn guesses_in_a_stolen_session_end_it_and_do_not_lock_its_owner_out() {
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let stranger = Control::stranger(tollgate.control);
    let stolen = stranger.sign_in("administrator", PASSWORD).await.unwrap();
    let guess = json!({"password": "not the password", "new_password": "a word of my own"});
    let mut answers = Vec::new();
    for _ in 0..=NAME_MAX {
        let path = "/api/v1/session/password";
        let answer = stolen.send("PUT", path, Some(&guess)).await.unwrap();
        answers.push((answer.status, answer.code()));
    }
    let wrong = (422, "password.wrong".to_owned());
    assert!(
        answers[..NAME_MAX - 1].iter().all(|it| *it == wrong),
        "{answers:?}"
    );
    assert_eq!(answers[NAME_MAX - 1], (401, "session.ended".to_owned()));
    assert_eq!(answers[NAME_MAX], (401, "session.invalid".to_owned()));
    admin.done("GET", SESSION, None).await.unwrap();
    stranger.sign_in("administrator", PASSWORD).await.unwrap();
}

#[tokio::test]
async fn common_passwords_the_own_name_and_deceptive_names_are_refused() {
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let (_, one_time) = user(&admin, "dana.rivers").await;
    let stranger = Control::stranger(tollgate.control);
    let dana = stranger.sign_in("dana.rivers", &one_time).await.unwrap();
    for (new, code) in [
        ("Password1234", "password.common"),
        ("1qaz2wsx3edc", "password.common"),
        ("DANA.RIVERS-2026", "password.name"),
    ] {
        let body = json!({"password": one_time, "new_password": new});
        let path = "/api/v1/session/password";
        let answer = dana.send("PUT", path, Some(&body)).await.unwrap();
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (422, code),
            "{new}"
        );
        assert_eq!(answer.json()["errors"][0]["field"], "/new_password");
    }
    let refused = async |path: &str, body: Value| {
        let answer = admin.send("POST", path, Some(&body)).await.unwrap();
        (answer.status, answer.code())
    };
    for twin in ["Dana.Rivers", "DANA.RIVERS"] {
        let twin = json!({"name": twin, "roles": ["developer"]});
        assert_eq!(refused(USERS, twin).await, (409, "name.taken".to_owned()));
    }
    let form = (422, "name.form".to_owned());
    for hidden in [
        "dana\u{200b}",
        "\u{202e}anad",
        "da\u{ad}na",
        "da\u{2028}na",
        "da\u{a0}na",
    ] {
        let user = json!({"name": hidden, "roles": ["developer"]});
        assert_eq!(refused(USERS, user).await, form, "{hidden:?}");
        let named = json!({"name": hidden});
        assert_eq!(refused("/api/v1/applications", named.clone()).await, form);
        assert_eq!(refused("/api/v1/access-tokens", named).await, form);
        let api = json!({"name": hidden, "context": "/a", "version": "1"});
        assert_eq!(refused("/api/v1/apis", api).await, form, "{hidden:?}");
        let plan = json!({"name": hidden, "unlimited": true});
        assert_eq!(refused("/api/v1/plans", plan).await, form, "{hidden:?}");
    }
}

#[tokio::test]
async fn upstreams_get_the_clients_address_through_trusted_proxies_only() {
    let through = builder().set("gateway-trusted-proxies", "127.0.0.1, 10.0.0.0/8");
    let fields = [
        ("X-Forwarded-For", "6.6.6.6, 192.0.2.7"),
        ("X-Forwarded-For", "10.0.0.1"),
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "evil"),
        ("Forwarded", "for=6.6.6.6"),
    ];
    for (builder, chain, scheme) in [
        (through, "192.0.2.7, 10.0.0.1, 127.0.0.1", "https"),
        (builder(), "127.0.0.1", "http"),
    ] {
        let house = House::with(&builder, json!([])).await;
        let mut fields = fields.to_vec();
        fields.push(("apikey", &house.consumer.key));
        let request = http::request("GET", "/pets/1.0/pets", &fields, b"");
        let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
        assert_eq!(answer.status, 200);
        let received = house.upstream.received();
        let head = String::from_utf8_lossy(&received[0]).into_owned();
        let reported: Vec<&str> = head
            .lines()
            .filter(|line| line.to_ascii_lowercase().contains("forwarded"))
            .collect();
        let expected = [
            format!("x-forwarded-for: {chain}"),
            format!("x-forwarded-proto: {scheme}"),
            "x-forwarded-host: 127.0.0.1".to_owned(),
        ];
        assert_eq!(reported, expected, "{head}");
    }
}

/// A full-width `admin` existed next to the plain one.
#[tokio::test]
async fn a_name_in_another_form_is_one_user_and_existing_ones_sign_in_as_typed() {
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let (_, one_time) = user(&admin, "\u{ff44}ana").await;
    for name in ["dana", "\u{ff44}ana", "d\u{ff41}na"] {
        let (status, _) = sign_in(&tollgate, name, &one_time, "").await;
        assert_eq!(status, 201, "{name}");
    }
    let twin = json!({"name": "\u{ff24}ana", "roles": ["developer"]});
    let twin = admin.send("POST", USERS, Some(&twin)).await.unwrap();
    assert_eq!((twin.status, &*twin.code()), (409, "name.taken"));

    // As stored by earlier releases: both forms, each a user.
    let (_, second) = user(&admin, "erin").await;
    let (_, builder) = tollgate.terminate().unwrap();
    let rename = "update users set name = '\u{ff44}ana' where name = 'erin'";
    sql(&builder.data().join("tollgate.db"), rename).await;
    let tollgate = builder.start().unwrap();
    for (name, password) in [("dana", &one_time), ("\u{ff44}ana", &second)] {
        let (status, _) = sign_in(&tollgate, name, password, "").await;
        assert_eq!(status, 201, "{name}");
    }
    let (status, _) = sign_in(&tollgate, "\u{ff44}ana", &one_time, "").await;
    assert_eq!(status, 401, "the name as typed comes first");
    let (_, builder) = tollgate.terminate().unwrap();
    let reset = builder.command(&["admin", "reset", "\u{ff44}ana"]).unwrap();
    let printed = String::from_utf8_lossy(&reset.stdout).into_owned();
    assert!(printed.starts_with("user \u{ff44}ana,"), "{printed}");
    let reset = builder.command(&["admin", "reset", "d\u{ff41}na"]).unwrap();
    let printed = String::from_utf8_lossy(&reset.stdout).into_owned();
    assert!(printed.starts_with("user dana,"), "{printed}");
}
