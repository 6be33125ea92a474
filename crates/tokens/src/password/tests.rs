use super::*;

#[test]
fn only_the_hashed_password_is_verified() {
    let kept = hash("correct horse battery", [7; 16]);
    assert!(
        kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
        "{kept}"
    );
    assert!(verify("correct horse battery", &kept));
    assert!(!verify("correct horse batterz", &kept));
    assert!(!verify("", &kept));
    assert_ne!(kept, hash("correct horse battery", [8; 16]));
}

#[test]
fn the_vector_of_the_reference_implementation_is_verified() {
    // github.com/P-H-C/phc-winner-argon2, src/test.c, version 0x13, Argon2id, t = 2, m = 2^16.
    let phc = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ\
               $CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    assert!(verify("password", phc));
    assert!(!verify("differentpassword", phc));
}

#[test]
fn a_foreign_hash_matches_no_password() {
    let good = hash("correct horse battery", [7; 16]);
    let other = |from: &str, to: &str| good.replace(from, to);
    let garbage = [
        String::new(),
        "correct horse battery".into(),
        "$".into(),
        "$argon2id$v=19$m=19456,t=2,p=1".into(),
        "$argon2id$v=19$m=19456,t=2,p=1$BwcHBwcHBwcHBwcHBwcHBw".into(),
        "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW".into(),
        "$argon2id$v=19$m=19456,t=2,p=1$\u{1F511}$\u{1F511}".into(),
        other("argon2id", "argon2i"),
        other("v=19", "v=16"),
        other("v=19$", ""),
        other("t=2", "t=0"),
        // Larger than Tollgate ever writes: rejected before any of it is spent.
        other("m=19456", "m=4294967295"),
        other("t=2", "t=4294967295"),
        other("p=1", "p=255"),
        good[..good.len() - 1].to_owned(),
        format!("{good}A"),
    ];
    for phc in garbage {
        assert!(!verify("correct horse battery", &phc), "{phc}");
    }
}

#[test]
fn a_password_has_12_to_256_characters() {
    let is_good = |count: usize| fault(&"ü".repeat(count), "ann").is_none();
    assert_eq!([11, 12, 256, 257].map(is_good), [false, true, true, false]);
    assert_eq!(
        fault("", "ann").map(|fault| fault.code).as_deref(),
        Some("password.length")
    );
}

#[test]
fn a_one_time_password_is_valid_and_has_all_its_randomness() {
    let low = one_time([0; 16]);
    assert!(fault(&low, "ann").is_none() && low.len() == 22);
    assert_ne!(
        one_time(1_u128.to_be_bytes()),
        one_time((1_u128 << 127).to_be_bytes())
    );
}

#[test]
fn the_list_holds_10_000_passwords_that_pass_the_length_and_can_be_searched() {
    let lines: Vec<&str> = COMMON.lines().collect();
    assert_eq!(lines.len(), 10_000);
    assert!(lines.is_sorted_by(|one, next| one < next));
    for line in lines {
        assert!(line.chars().count() >= CHARACTERS_MIN, "{line}");
        assert_eq!(
            line,
            folded(line),
            "a line that is not folded is never found"
        );
    }
}

#[test]
fn common_passwords_and_the_users_name_are_refused_in_any_case() {
    let code = |password, name| fault(password, name).map(|fault| fault.code);
    for common in [
        "password1234",
        "Password1234",
        "QWERTYUIOP12",
        "123456789012",
        "1qaz2wsx3edc",
        "Administrator",
        "Password1234 ",
    ] {
        let code = code(common, "ann");
        assert_eq!(code.as_deref(), Some("password.common"), "{common}");
    }
    for (password, name) in [
        ("dana-dana-2026", "Dana"),
        ("DANAXBCHSKQNP", "dana"),
        ("Dana.Rivers-1", "dana.rivers"),
        ("danapassword1234", "dana"),
        ("BartholomewSmith", "bartholomew smith"),
        ("bartholomew.smith", "Bartholomew Smith"),
        ("da\u{200b}na da\u{200b}na 77", "dana"),
    ] {
        let code = code(password, name);
        assert_eq!(code.as_deref(), Some("password.name"), "{password}");
    }
    for (password, name) in [
        ("correct horse battery", "ann"),
        ("dana has a correct horse", "dana"),
        ("banana bandana", "a"),
    ] {
        assert_eq!(code(password, name), None, "{password}");
    }
}
