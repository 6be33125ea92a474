use super::*;

#[test]
fn only_this_machine_or_a_named_host_is_loaded() {
    let check = |address: &str, owned: &[IpAddr]| {
        is_of_this_machine(address.parse().expect("an address"), owned).map_err(|e| e.to_string())
    };
    for address in ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"] {
        assert_eq!(check(address, &[]), Ok(()), "{address}");
    }
    // Addresses reserved for documentation, and invalid destinations.
    for address in ["203.0.113.1", "2001:db8::1", "0.0.0.0", "224.0.0.1"] {
        let refusal = check(address, &[]).expect_err(address);
        assert!(refusal.contains("--i-own-this-host"), "{refusal}");
    }
    let ours: IpAddr = "203.0.113.1".parse().unwrap();
    assert_eq!(check("203.0.113.1", &[ours]), Ok(()));
    assert!(check("203.0.113.2", &[ours]).is_err());
}
