use super::*;

fn read_and_shown(text: &str) -> Option<String> {
    let time: Time = serde_json::from_value(text.into()).ok()?;
    Some(serde_json::to_value(time).unwrap().as_str()?.to_owned())
}

#[test]
fn an_instant_at_the_end_of_time_is_the_last_one() {
    let last = Some("9999-12-30T22:00:00Z".to_owned());
    for text in [
        "9999-12-31T23:59:59Z",
        "9999-12-31T23:59:59.999999999Z",
        "9999-12-31T23:59:59-12:00",
        "9999-12-30T22:00:00.5Z",
    ] {
        assert_eq!(read_and_shown(text), last, "{text}");
    }
    let earlier = "9999-12-30T21:59:59.999999Z";
    assert_eq!(read_and_shown(earlier).as_deref(), Some(earlier));
    for text in [
        "9999-12-31",
        "9999-12-31T23:59:59",
        "9999-12-32T00:00:00Z",
        "10000-01-01T00:00:00Z",
        "never",
    ] {
        assert_eq!(read_and_shown(text), None, "{text}");
    }
}
