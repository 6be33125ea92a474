use tollgate_http1::head::RequestHead;
use tollgate_http1::parse::{self, Bounds};
use tollgate_http1::view::Request;

use super::{Origins, PreFlight};

const BOUNDS: Bounds = Bounds {
    head_bytes_max: 8_192,
    fields_max: 9,
    target_bytes_max: 4_096,
};

fn with_head<T>(method: &str, fields: &str, look: impl FnOnce(Request<'_>) -> T) -> T {
    let bytes = format!("{method} / HTTP/1.1\r\nhost: a\r\n{fields}\r\n");
    let mut head = RequestHead::default();
    parse::request(bytes.as_bytes(), BOUNDS, &mut head).unwrap();
    look(Request::new(&head, bytes.as_bytes()))
}

#[test]
fn only_the_portals_own_origins_are_known() {
    let own = [
        "http://localhost:9000".to_owned(),
        "https://t.example".to_owned(),
    ];
    let origins = Origins::new(&own);
    for (fields, known) in [
        ("", None),
        ("origin: http://localhost:9000\r\n", Some(0)),
        ("ORIGIN:  https://t.example \r\n", Some(1)),
        ("origin: http://localhost:9001\r\n", None),
        ("origin: https://localhost:9000\r\n", None),
        ("origin: http://localhost:9000/\r\n", None),
        ("origin: http://localhost:9000.evil.example\r\n", None),
        ("origin: null\r\n", None),
        ("origin: http://LOCALHOST:9000\r\n", None),
        ("x-origin: https://t.example\r\n", None),
        // Which of two counts would be a guess.
        (
            "origin: https://t.example\r\norigin: https://t.example\r\n",
            None,
        ),
        (
            "origin: https://evil.example\r\norigin: https://t.example\r\n",
            None,
        ),
    ] {
        let found = with_head("GET", fields, |head| origins.of(head));
        let lines = found.map(|origin| String::from_utf8(origin.lines().to_vec()).unwrap());
        let expected = known.map(|known: usize| {
            format!(
                "access-control-allow-origin: {}\r\naccess-control-expose-headers: *\r\n\
                 vary: Origin\r\n",
                own[known]
            )
        });
        assert_eq!(lines, expected, "{fields}");
    }
}

#[test]
fn a_pre_flight_names_a_method() {
    let asked = |method: &str, fields: &str| {
        let asked = with_head(method, fields, PreFlight::of);
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
