use super::requested;
use crate::wire::portal::tests::with_head;

#[test]
fn the_portal_may_send_what_its_preflight_names() {
    let answer_to = |fields: &str| {
        with_head("OPTIONS", fields, |head| {
            let lines = requested(head)
                .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value)));
            lines.collect::<Vec<_>>().join(", ")
        })
    };
    let method = "access-control-request-method: PUT\r\n";
    let answer = "access-control-allow-methods: PUT, access-control-max-age: 600";
    assert_eq!(answer_to(method), answer);
    let both = format!("{method}access-control-request-headers: apikey,x-a\r\n");
    let answer = format!("{answer}, access-control-allow-headers: apikey,x-a");
    assert_eq!(answer_to(&both), answer);
}
