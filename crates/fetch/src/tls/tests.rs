use rcgen::generate_simple_self_signed;

use super::*;

#[test]
fn authorities_are_read_from_pem_and_from_nothing_else() {
    let one = generate_simple_self_signed(["a".to_owned()]).unwrap();
    let two = generate_simple_self_signed(["b".to_owned()]).unwrap();
    let both = format!("# ours\n{}\n{}", one.cert.pem(), two.cert.pem());
    assert_eq!(roots_of(&both).unwrap().len(), 2);
    let key = two.signing_key.serialize_pem();
    assert!(matches!(
        roots_of(&format!("{both}{key}")),
        Err(NotRoots::Key)
    ));
    for none in ["", "secret", "-----BEGIN CERTIFICATE-----\n"] {
        assert!(matches!(roots_of(none), Err(NotRoots::None)), "{none}");
    }
    let damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let damaged = format!("{}{damaged}", one.cert.pem());
    let message = roots_of(&damaged).unwrap_err().to_string();
    assert_eq!(message, "its certificate number 2 cannot be read");
}

#[test]
fn older_or_weaker_tls_is_not_supported() {
    let groups = provider();
    let groups: Vec<_> = groups.kx_groups.iter().map(|group| group.name()).collect();
    assert_eq!(
        groups,
        [rustls::NamedGroup::X25519, rustls::NamedGroup::secp256r1]
    );
    for suite in &provider().cipher_suites {
        let name = format!("{:?}", suite.suite());
        assert!(name.contains("GCM") || name.contains("CHACHA20"), "{name}");
    }
    assert!(!system_roots().is_empty());
}
