use super::{normal, resolve};

#[test]
fn a_reference_is_resolved_against_its_document() {
    let rows = [
        ("http://h/a/b.wsdl", "c.xsd", "http://h/a/c.xsd"),
        ("http://h/a/b.wsdl", "../c.xsd", "http://h/c.xsd"),
        ("http://h/a/b.wsdl", "../../../c.xsd", "http://h/c.xsd"),
        ("http://h/a/b.wsdl", "/c.xsd", "http://h/c.xsd"),
        ("http://h/a/b.wsdl", "//g/c.xsd", "http://g/c.xsd"),
        ("http://h/a/b?wsdl", "?xsd=1", "http://h/a/b?xsd=1"),
        (
            "http://h/a/b?wsdl=x/y",
            "b?xsd=../z",
            "http://h/a/b?xsd=../z",
        ),
        (
            "http://h/a/b.wsdl",
            "https://g/x.xsd#part",
            "https://g/x.xsd",
        ),
        ("HTTP://Host/a/./b.wsdl", "c.xsd", "HTTP://Host/a/c.xsd"),
        ("http://h", "c.xsd", "http://h/c.xsd"),
        ("main.wsdl", "x/y.xsd", "x/y.xsd"),
        ("deep/er/main.wsdl", "../y.xsd", "deep/y.xsd"),
        ("deep/main.wsdl", "..\\y%20z.xsd", "y z.xsd"),
        ("deep/main.wsdl", "./y.xsd", "deep/y.xsd"),
        ("deep/main.wsdl", "../../../y.xsd", "y.xsd"),
        ("deep/main.wsdl", "", "deep/"),
    ];
    for (base, reference, expected) in rows {
        assert_eq!(resolve(base, reference), expected, "{reference} in {base}");
    }
    assert_eq!(normal("HTTP://Host/a/../b?x=/../"), "http://host/b?x=/../");
}
