use super::form_fault;

#[test]
fn origins_are_taken_as_browsers_write_them() {
    let good = [
        "https://shop.example",
        "http://localhost:3000",
        "https://shop.example:8443",
        "http://[::1]:8080",
        "http://[2001:db8::7]",
        "capacitor://localhost",
    ];
    for good in good {
        assert_eq!(form_fault(good), None, "{good}");
    }
    let bad = [
        "",
        "*",
        "null",
        "shop.example",
        "https://",
        "https://Shop.example",
        "HTTPS://shop.example",
        "https://shop.example/",
        "https://shop.example/path",
        "https://shop.example?x",
        "https://ann@shop.example",
        "https://shop.example:",
        "https://shop.example:0",
        "https://shop.example:65536",
        "https://shop.example:08443",
        "https://shop.example:443",
        "http://shop.example:80",
        "http://[::1",
        "http://[2001:db8:0:0::7]",
        "https://b\u{fc}cher.example",
    ];
    for bad in bad {
        assert!(form_fault(bad).is_some(), "{bad}");
    }
}
