use super::*;

#[test]
fn sessions_are_removed_and_all_other_bytes_kept() {
    for (value, others) in [
        ("tollgate_session=s", ""),
        ("__Secure-tollgate_session=s", ""),
        ("tollgate_session=s; __Secure-tollgate_session=t;", ""),
        ("tollgate_session=s; a=1;  b=\"2 2\"", "a=1;  b=\"2 2\""),
        ("a=1;tollgate_session=s;b=2", "a=1;b=2"),
        ("a=1; b=2; tollgate_session=s", "a=1; b=2"),
        (";a=b;tollgate_session=s", ";a=b"),
        ("a=1;;; ;tollgate_session=s", "a=1;;;"),
        ("a=1;\ttollgate_session =\"s\" ;b", "a=1;b"),
        ("tollgate_session; a=1", "a=1"),
        ("tollgate_session=s=t; a==", "a=="),
        // Parsers that split within quotes must not find it either.
        ("a=\"1; tollgate_session=s\"", "a=\"1"),
        // Different names: cookie names are case-sensitive.
        ("my_tollgate_session=s", "my_tollgate_session=s"),
        ("tollgate_session2=s", "tollgate_session2=s"),
        (
            "Tollgate_session=s; tollgate_session=t",
            "Tollgate_session=s",
        ),
        ("a=tollgate_session=s", "a=tollgate_session=s"),
        ("=tollgate_session; =;", "=tollgate_session; =;"),
    ] {
        assert!(names_session(value.as_bytes()), "{value}");
        let left = without_session(value.as_bytes());
        assert_eq!(left, others.as_bytes(), "{value}");
    }
    assert_eq!(
        without_session(b"\xff;tollgate_session=\xfe;\0"),
        b"\xff;\0"
    );
    assert!(!names_session(b"a=1; b=2") && !names_session(b""));
}
