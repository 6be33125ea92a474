use tollgate_model::credential::Allowed;

use super::{ENTRIES_MAX, faults, is_network};

#[test]
fn addresses_and_networks_are_taken_one_by_one() {
    for good in ["192.0.2.7", "192.0.2.0/24", "2001:db8::/32", "::1"] {
        assert!(is_network(good), "{good}");
    }
    for bad in [
        "",
        "10.0.0.0/33",
        "10.0.0.1,10.0.0.2",
        " 10.0.0.1",
        "localhost",
        "10.0.0",
    ] {
        assert!(!is_network(bad), "{bad}");
    }
}

#[test]
fn both_lists_are_bounded() {
    let allowed = |count: usize| Allowed {
        addresses: vec!["::1".to_owned(); count],
        origins: vec!["https://shop.example".to_owned(); count],
    };
    assert_eq!(faults(&allowed(ENTRIES_MAX)), []);
    let fields = faults(&allowed(ENTRIES_MAX + 1)).into_iter();
    let fields: Vec<_> = fields.map(|fault| fault.field).collect();
    assert_eq!(fields, ["/allowed/addresses", "/allowed/origins"]);
}
