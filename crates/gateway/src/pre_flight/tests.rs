use super::PreFlight;
use crate::wire::portal::tests::with_head;

#[test]
fn a_pre_flight_names_a_method() {
    let asked = |method: &str, fields: &str| {
        let asked = with_head(method, fields, PreFlight::asked);
        asked.map(|asked| {
            let lines = asked
                .answer()
                .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value)));
            lines.collect::<Vec<_>>().join(", ")
        })
    };
    let method = "access-control-request-method: PUT\r\n";
    let both = format!("{method}access-control-request-headers: apikey,x-a\r\n");
    assert_eq!(asked("GET", &both), None);
    assert_eq!(
        asked("OPTIONS", "access-control-request-headers: x-a\r\n"),
        None
    );
    let answer = "access-control-allow-methods: PUT, access-control-max-age: 600";
    assert_eq!(asked("OPTIONS", method).as_deref(), Some(answer));
    let answer = format!("{answer}, access-control-allow-headers: apikey,x-a");
    assert_eq!(asked("OPTIONS", &both), Some(answer));
}
