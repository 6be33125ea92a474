use super::http_date;

#[test]
fn a_date_is_that_of_the_examples() {
    // RFC 9110, section 5.6.7, and RFC 8594, section 3.
    let rows = [
        (784_111_777_000_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (1_546_300_799_999_999, "Mon, 31 Dec 2018 23:59:59 GMT"),
    ];
    for (at_us, expected) in rows {
        assert_eq!(http_date(at_us), expected);
    }
}
