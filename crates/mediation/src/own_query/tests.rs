use super::*;

#[test]
fn a_query_of_the_address_precedes_the_callers_which_loses_parameters_with_its_names() {
    let rows = [
        ("SOAP", "", "?SOAP"),
        ("SOAP", "?", "?SOAP"),
        ("SOAP", "/a?b=?", "/a?SOAP&b=?"),
        ("SOAP", "?a=1&b=%7e+&c", "?SOAP&a=1&b=%7e+&c"),
        ("SOAP", "?SOAP=2&a=1", "?SOAP&a=1"),
        ("SOAP", "?a=SOAP&SOAPs&xSOAP", "?SOAP&a=SOAP&SOAPs&xSOAP"),
        // Encoded, in another case, and where a back end splits at `;`.
        ("SOAP", "?%53OA%50=1&soap=2&a=1", "?SOAP&a=1"),
        ("SOAP", "?a=1;SOAP=2;b=3", "?SOAP&a=1;b=3"),
        ("SOAP", "?a=1;SOAP=2&b=3", "?SOAP&a=1&b=3"),
        ("SOAP", "?SOAP=2;a=1;b=2", "?SOAP&a=1;b=2"),
        ("SOAP", "?SOAP&SOAP;;soap", "?SOAP&"),
        // Nothing else changes.
        ("SOAP", "?&a=1;;b=2&&c;", "?SOAP&&a=1;;b=2&&c;"),
        ("SOAP", "?a=b=c?&SOAP=1&=", "?SOAP&a=b=c?&="),
        (
            "sap-client=100",
            "?sap%2dclient=200&sap-client",
            "?sap-client=100",
        ),
        ("a%20b=1&c=2", "?a+b=3&C&d=?", "?a%20b=1&c=2&d=?"),
        (
            "a_b=1",
            "?a.b=2&a%5B%5D=3&a[]&A_B[]=4&+a+b=5",
            "?a_b=1&a%5B%5D=3&a[]",
        ),
        ("a=1", "?a%5B%5D=3&a[b]=4&ab=5", "?a=1&ab=5"),
        (
            "a=1",
            "?[a]=2&a]=2&]a=2&[[a=2&[b]a=3&%a=2&a%=2",
            "?a=1&[b]a=3",
        ),
        // As PHP reads an unclosed bracket, and NUL; as ASP reads `%u`; with controls left out.
        (
            "a_b=1&c",
            "?a[b=2&a%5bb=2&a_b%00x=2&c%00[=3&c%0d=3&%09c&%7fC",
            "?a_b=1&c",
        ),
        (
            "SOAP",
            "?%u0053OAP=2&%U0073oap&%u53OAP=1&%u0153OAP&S%uOAP&SOAP%5f",
            "?SOAP&%u53OAP=1&%u0153OAP&S%uOAP&SOAP%5f",
        ),
        ("a%5Bb=1", "?a_b=2&a[c]=3&ab=4", "?a%5Bb=1&ab=4"),
        // A `%` without a code is itself; one that is encoded is the same name.
        ("a%25=1", "?a%=2&a%25=3&b%z=1", "?a%25=1&b%z=1"),
    ];
    for (own, of_call, expected) in rows {
        let mut out = Vec::new();
        OwnQuery::new(own)
            .unwrap()
            .push_target(&mut out, of_call.as_bytes());
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{own} {of_call}");
    }
    assert!(OwnQuery::new("").is_none());
}
