use super::*;

fn permits(allowed: &str, host: &str, address: &str) -> bool {
    let allowed: HostList = allowed.parse().unwrap();
    let address = address.parse().unwrap();
    is_public(address) || allowed.contains(host, address)
}

#[test]
fn only_the_public_internet_is_allowed_by_default() {
    let public = [
        "1.1.1.1",
        "93.184.216.34",
        "172.32.0.1",
        "100.128.0.1",
        "2606:4700::1111",
    ];
    for address in public {
        assert!(permits("", "x", address), "{address}");
    }
    let special = [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.9.9.9",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.168.1.1",
        "198.19.0.1",
        "203.0.113.9",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd12::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ];
    for address in special {
        assert!(!permits("", "x", address), "{address}");
    }
    assert!(permits("", "x", "64:ff9b::101:101"));
}

#[test]
fn a_named_host_or_network_is_allowed_too_and_nothing_else() {
    let list = "wsdl.Internal, 10.20.0.0/16,127.0.0.1, fd00::/8";
    assert!(permits(list, "WSDL.internal", "192.168.0.7"));
    assert!(!permits(list, "other.internal", "192.168.0.7"));
    assert!(permits(list, "x", "10.20.255.1"));
    assert!(!permits(list, "x", "10.21.0.1"));
    assert!(permits(list, "x", "127.0.0.1"));
    assert!(permits(list, "x", "::ffff:127.0.0.1"));
    assert!(!permits(list, "x", "127.0.0.2"));
    assert!(permits(list, "x", "fd12::1"));
    assert!(permits("0.0.0.0/0", "x", "127.0.0.1"));
    for wrong in ["10.0.0.0/33", "a b", "10.0.0.0/x", "http://x"] {
        assert!(wrong.parse::<HostList>().is_err(), "{wrong}");
    }
}

#[test]
fn networks_are_addresses_and_prefixes_but_not_names() {
    let networks: Networks = "10.0.0.0/8, 192.0.2.7,2001:db8::/32".parse().unwrap();
    for inside in ["10.255.0.1", "192.0.2.7", "::ffff:10.0.0.1", "2001:db8::1"] {
        assert!(networks.contain(inside.parse().unwrap()), "{inside}");
    }
    for outside in ["11.0.0.1", "192.0.2.8", "2001:db9::1"] {
        assert!(!networks.contain(outside.parse().unwrap()), "{outside}");
    }
    let mapped: Networks = "::ffff:10.0.0.0/104, ::ffff:192.0.2.7".parse().unwrap();
    for inside in ["10.255.0.1", "::ffff:10.0.0.1", "192.0.2.7"] {
        assert!(mapped.contain(inside.parse().unwrap()), "{inside}");
    }
    assert!(!mapped.contain("11.0.0.1".parse().unwrap()));
    for wrong in ["localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/"] {
        assert!(wrong.parse::<Networks>().is_err(), "{wrong}");
    }
}
