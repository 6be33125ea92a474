use super::*;

#[test]
fn the_caller_is_the_last_address_that_is_not_a_trusted_proxy() {
    let trusted: Networks = "10.0.0.0/8, 2001:db8::/32".parse().unwrap();
    for (peer, lines, chain) in [
        // A peer that is not a proxy is the caller, whatever it claims.
        ("192.0.2.7", &["6.6.6.6"][..], "192.0.2.7"),
        ("10.0.0.1", &[], "10.0.0.1"),
        ("10.0.0.1", &["192.0.2.7"], "192.0.2.7 10.0.0.1"),
        ("10.0.0.1", &["6.6.6.6, 192.0.2.7"], "192.0.2.7 10.0.0.1"),
        ("10.0.0.1", &["6.6.6.6", "192.0.2.7"], "192.0.2.7 10.0.0.1"),
        (
            "10.0.0.1",
            &["192.0.2.7,10.0.0.2"],
            "192.0.2.7 10.0.0.2 10.0.0.1",
        ),
        (
            "10.0.0.1",
            &["192.0.2.7", "10.0.0.2"],
            "192.0.2.7 10.0.0.2 10.0.0.1",
        ),
        // All of them are trusted: the farthest one.
        (
            "10.0.0.1",
            &["10.0.0.3, 10.0.0.2"],
            "10.0.0.3 10.0.0.2 10.0.0.1",
        ),
        // A malformed element was passed on by the hop before it.
        ("10.0.0.1", &["192.0.2.7, unknown"], "10.0.0.1"),
        (
            "10.0.0.1",
            &["192.0.2.7, 10.0.0.2:x, 10.0.0.3"],
            "10.0.0.3 10.0.0.1",
        ),
        ("10.0.0.1", &["192.0.2.7,"], "10.0.0.1"),
        ("10.0.0.1", &["192.0.2.7", ""], "10.0.0.1"),
        ("10.0.0.1", &["192.0.2.256"], "10.0.0.1"),
        ("10.0.0.1", &["192.0.2.7 6.6.6.6"], "10.0.0.1"),
        // Ports, brackets, mapped addresses.
        ("10.0.0.1", &["\t192.0.2.7:4711 "], "192.0.2.7 10.0.0.1"),
        (
            "2001:db8::1",
            &["[2001:db9::7]:4711"],
            "2001:db9::7 2001:db8::1",
        ),
        ("2001:db8::1", &["[2001:db9::7]"], "2001:db9::7 2001:db8::1"),
        (
            "::ffff:10.0.0.1",
            &["::ffff:192.0.2.7"],
            "192.0.2.7 10.0.0.1",
        ),
    ] {
        let from_last = lines.iter().rev().map(|line| line.as_bytes());
        let hops = Hops::behind(peer.parse().unwrap(), &trusted, from_last);
        let addresses: Vec<_> = hops.from_caller().map(|it| it.to_string()).collect();
        assert_eq!(addresses.join(" "), chain, "{peer} {lines:?}");
        assert_eq!(addresses[0], hops.caller().to_string());
    }
}

#[test]
fn a_chain_is_read_up_to_its_bound() {
    let trusted: Networks = "10.0.0.0/8".parse().unwrap();
    let line = vec!["10.0.0.2"; 5_000].join(",");
    let hops = Hops::behind("10.0.0.1".parse().unwrap(), &trusted, [line.as_bytes()]);
    assert_eq!(hops.from_caller().count(), HOPS_MAX);
    assert_eq!(hops.caller().to_string(), "10.0.0.2");
}
