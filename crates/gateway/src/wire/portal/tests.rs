use tollgate_http1::head::RequestHead;
use tollgate_http1::parse::{self, Bounds};
use tollgate_http1::view::Request;

use super::Origins;

const BOUNDS: Bounds = Bounds {
    head_bytes_max: 8_192,
    fields_max: 9,
    target_bytes_max: 4_096,
};

pub(crate) fn with_head<T>(method: &str, fields: &str, look: impl FnOnce(Request<'_>) -> T) -> T {
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
        // Choosing one of two would be a guess.
        (
            "origin: https://t.example\r\norigin: https://t.example\r\n",
            None,
        ),
        (
            "origin: https://evil.example\r\norigin: https://t.example\r\n",
            None,
        ),
    ] {
        let found = with_head("GET", fields, |head| origins.find(head));
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
