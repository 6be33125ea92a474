use super::{Directives, SECONDS_MAX};

fn read(lines: &[&str]) -> Directives {
    Directives::read(lines.iter().map(|line| line.as_bytes()))
}

#[test]
fn directives_are_read() {
    let none = Directives::default();
    let aged = |max_age| Directives {
        max_age: Some(max_age),
        ..none
    };
    let rows: &[(&[&str], Directives)] = &[
        (&[], none),
        (&["", ",", " , ,\t"], none),
        (&["max-age=60"], aged(60)),
        (&["Max-Age=60,"], aged(60)),
        (&["max-age=\"60\""], aged(60)),
        (&["foo=\"a, max-age=1\", max-age=60"], aged(60)),
        (&["foo=\"max-age=1"], none),
        (&["max-age=60", "max-age=60"], aged(60)),
        (&["max-age=60, max-age=61"], aged(0)),
        (&["max-age"], aged(0)),
        (&["max-age="], aged(0)),
        (&["max-age=-1"], aged(0)),
        (&["max-age=1.5"], aged(0)),
        (&["max-age=99999999999999999999"], aged(SECONDS_MAX)),
        (&["xmax-age=60, max-agex=60"], none),
        (
            &["private=\"set-cookie\", no-cache=\"a\"", "NO-STORE"],
            Directives {
                private: true,
                no_cache: true,
                no_store: true,
                ..none
            },
        ),
        (
            &["public, s-maxage=5, proxy-revalidate, stale-if-error=9, stale-while-revalidate=1"],
            Directives {
                public: true,
                must_revalidate: true,
                s_maxage: Some(5),
                stale_if_error: Some(9),
                stale_while_revalidate: Some(1),
                ..none
            },
        ),
    ];
    for (lines, expected) in rows {
        assert_eq!(read(lines), *expected, "{lines:?}");
    }
}
