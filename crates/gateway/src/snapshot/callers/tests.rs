use tollgate_model::credential::CredentialId;
use tollgate_model::id::{ApiKeyId, TokenId};

use super::*;

fn served() -> ServedCredential {
    ServedCredential {
        id: CredentialId::ApiKey(ApiKeyId::from_raw(1)),
        digest: [7; 32],
        previous: None,
        application: ApplicationId::from_raw(1),
        environment: Environment::Production,
        not_before_us: None,
        expires_us: None,
        allowed: Allowed::default(),
    }
}

#[test]
fn numerous_entries_are_small() {
    assert_eq!(size_of::<(ApiKeyId, Credential)>(), 48);
    assert_eq!(size_of::<(TokenId, Token)>(), 64);
}

#[test]
fn a_term_holds_to_the_microsecond() {
    let (from_us, until_us) = (1_800_000_000_123_457, 1_800_000_100_999_999);
    let credential = Credential::new(&ServedCredential {
        not_before_us: Some(from_us),
        expires_us: Some(until_us),
        ..served()
    });
    let takes = |now_us| credential.accepts(&[7; 32], now_us);
    assert!(!takes(from_us - 1) && takes(from_us));
    assert!(takes(until_us - 1) && !takes(until_us));
    assert_eq!(credential.ends_us(), until_us);
}

#[test]
fn an_expiry_beyond_the_range_is_never_and_one_before_it_has_passed() {
    for (expires_us, ends_us) in [
        (None, i64::MAX),
        (Some(i64::MAX), i64::MAX),
        (Some(End::NEVER_US), i64::MAX),
        (Some(End::NEVER_US - 1), End::NEVER_US - 1),
        (Some(0), 0),
        (Some(i64::MIN), 0),
    ] {
        let credential = Credential::new(&ServedCredential {
            expires_us,
            ..served()
        });
        assert_eq!(credential.ends_us(), ends_us, "{expires_us:?}");
        assert!(!credential.accepts(&[7; 32], ends_us));
        assert!(credential.accepts(&[7; 32], ends_us - 1));
    }
}

#[test]
fn a_digest_differs_by_any_of_its_first_16_bytes() {
    let credential = Credential::new(&served());
    for at in 0..16 {
        let mut other = [7; 32];
        other[at] ^= 1;
        assert!(!credential.accepts(&other, 0), "{at}");
    }
}

#[test]
fn the_previous_digest_is_accepted_until_its_end_and_no_longer_than_the_current_one() {
    let rotated = |expires_us| {
        Credential::new(&ServedCredential {
            previous: Some(([6; 32], 1_000)),
            expires_us,
            ..served()
        })
    };
    for (credential, end_us) in [(rotated(None), 1_000), (rotated(Some(500)), 500)] {
        assert!(credential.accepts(&[6; 32], end_us - 1));
        assert!(!credential.accepts(&[6; 32], end_us));
        assert_eq!(credential.accepts(&[7; 32], end_us), end_us == 1_000);
        let credential = credential.without_previous();
        assert!(!credential.accepts(&[6; 32], 0) && credential.accepts(&[7; 32], 0));
    }
}
