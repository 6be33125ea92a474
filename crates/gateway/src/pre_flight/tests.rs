use super::PreFlight;
use crate::wire::portal::tests::with_head;

#[test]
fn a_pre_flight_names_a_method() {
    let answer_to = |method: &str, fields: &str| {
        let parsed = with_head(method, fields, PreFlight::parse_head);
        parsed.map(|parsed| {
            let lines = parsed
                .answer()
                .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value)));
            lines.collect::<Vec<_>>().join(", ")
        })
    };
    let method = "access-control-request-method: PUT\r\n";
    let both = format!("{method}access-control-request-headers: apikey,x-a\r\n");
    assert_eq!(answer_to("GET", &both), None);
    assert_eq!(
        answer_to("OPTIONS", "access-control-request-headers: x-a\r\n"),
        None
    );
    let answer = "access-control-allow-methods: PUT, access-control-max-age: 600";
    assert_eq!(answer_to("OPTIONS", method).as_deref(), Some(answer));
    let answer = format!("{answer}, access-control-allow-headers: apikey,x-a");
    assert_eq!(answer_to("OPTIONS", &both), Some(answer));
}
