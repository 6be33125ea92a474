use super::*;

#[test]
fn an_address_has_host_port_authority_and_base_path() {
    let rows = [
        ("http://a", ("a", 80, "a", "")),
        ("https://a", ("a", 443, "a", "")),
        ("http://a:81/", ("a", 81, "a:81", "")),
        (
            "http://127.0.0.1:9/base/",
            ("127.0.0.1", 9, "127.0.0.1:9", "/base"),
        ),
        ("http://[::1]:9/x", ("::1", 9, "[::1]:9", "/x")),
    ];
    for (url, (host, port, authority, base_path)) in rows {
        let target = Target::at(url);
        assert_eq!(
            target.address(),
            Ok(Address {
                scheme: UriScheme::split(url).unwrap().0,
                host,
                port,
                authority,
                base_path,
                query: None,
            }),
            "{url}"
        );
    }
}

#[test]
fn only_a_soap_service_has_an_address_with_a_query() {
    let rows = [
        ("http://a/incident.do?SOAP", ("/incident.do", "SOAP")),
        (
            "http://a/x/?sap-client=100&b=%20/?",
            ("/x/", "sap-client=100&b=%20/?"),
        ),
        ("http://a?services=x", ("/", "services=x")),
        ("http://a/x?", ("/x", "")),
    ];
    for (url, (base_path, query)) in rows {
        let target = Target::at(url);
        for kind in [Kind::Soap, Kind::SoapToRest] {
            let address = target.address_for(kind).expect(url);
            assert_eq!((address.base_path, address.query), (base_path, Some(query)));
            assert_eq!(address.authority, "a", "{url}");
        }
        let faults = Upstream::at(url).faults(Kind::Rest);
        let faults: Vec<_> = faults.iter().map(|it| (&*it.field, &*it.code)).collect();
        assert_eq!(faults, [("/url", "upstream.url")], "{url}");
    }
}

#[test]
fn an_invalid_upstream_is_refused() {
    let wrong = [
        "",
        "a",
        "ftp://a",
        "httpss://a",
        "https:/a",
        "http://",
        "http://:80",
        "http://a:0",
        "http://a:70000",
        "http://a:+80",
        "http://u@a",
        "http://a/#f",
        "http://a/?q#f",
        "http://a/?q=a b",
        "http://a/?q=%2",
        "http://a/?q=%zz",
        "http://a/%2e%2e/b",
        "http://a b/",
        "http://[::1",
        "http://a\r\nHost: b/",
    ];
    for url in wrong {
        assert!(Target::at(url).address().is_err(), "{url}");
    }
    let many = format!("http://a/?{}", "q&".repeat(QUERY_PARAMETERS_MAX));
    assert!(Target::at(many).address().is_err());
    let upstream = Upstream {
        connect_timeout_ms: 0,
        ..Upstream::at("http://a")
    };
    assert_eq!(upstream.faults(Kind::Rest)[0].code, "upstream.timeout");
}
