use super::{Head, Rules, Unstorable};
use crate::directives::Directives;

const PLAIN: Head<'_> = Head {
    status: 200,
    directives: NONE,
    vary: &[],
    sets_cookie: false,
    is_partial: false,
};
const NONE: Directives = Directives {
    no_store: false,
    no_cache: false,
    private: false,
    public: false,
    must_revalidate: false,
    only_if_cached: false,
    max_age: None,
    s_maxage: None,
    stale_while_revalidate: None,
    stale_if_error: None,
};

#[test]
fn responses_are_stored_by_status_and_fields() {
    let rules = Rules {
        negative_s: vec![(404, 5), (206, 9)],
        passed: vec!["x-correlation".to_owned()],
    };
    let status = |status| Head { status, ..PLAIN };
    let vary = |vary| Head { vary, ..PLAIN };
    let control = |directives| Head {
        directives,
        ..PLAIN
    };
    let rows = [
        (PLAIN, Ok(None)),
        (status(203), Ok(None)),
        (status(301), Ok(None)),
        (status(308), Ok(None)),
        (status(404), Ok(Some(5))),
        (status(204), Err(Unstorable::Status)),
        (status(302), Err(Unstorable::Status)),
        (status(304), Err(Unstorable::Status)),
        (status(410), Err(Unstorable::Status)),
        (status(500), Err(Unstorable::Status)),
        (status(206), Err(Unstorable::Partial)),
        (
            Head {
                is_partial: true,
                ..PLAIN
            },
            Err(Unstorable::Partial),
        ),
        (
            Head {
                sets_cookie: true,
                ..PLAIN
            },
            Err(Unstorable::Cookie),
        ),
        (
            control(Directives {
                no_store: true,
                ..NONE
            }),
            Err(Unstorable::NoStore),
        ),
        (
            control(Directives {
                private: true,
                ..NONE
            }),
            Err(Unstorable::Private),
        ),
        (
            control(Directives {
                no_cache: true,
                ..NONE
            }),
            Ok(None),
        ),
        (vary(&[b"Accept, Accept-Encoding", b"Cookie"]), Ok(None)),
        (vary(&[b"*"]), Err(Unstorable::Vary)),
        (vary(&[b"accept", b"a , *"]), Err(Unstorable::Vary)),
        (vary(&[b"accept,X-Correlation"]), Err(Unstorable::Vary)),
        (vary(&[b"x-correlation-id"]), Ok(None)),
    ];
    for (head, expected) in rows {
        assert_eq!(rules.check(&head), expected, "{head:?}");
    }
}
