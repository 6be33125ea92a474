use super::*;
use crate::base62;

#[test]
fn generated_secrets_have_the_documented_form_and_match_only_their_digest() {
    let made = [
        (client_secret([0xff; 16]), "tg_cs_7n42DGM5Tflk9n8mt7Fhc7"),
        (basic_password([0; 16]), "tg_pw_0000000000000000000000"),
    ];
    for (secret, start) in &made {
        assert!(
            secret.text.starts_with(start) && secret.text.len() == 34,
            "{}",
            secret.text
        );
        assert!(base62::crc_fits(secret.text.as_bytes()));
        assert!(secret.text.ends_with(&secret.hint) && secret.hint.len() == 4);
        assert!(matches(&secret.digest, &secret.text));
        assert!(!matches(&secret.digest, &secret.text[1..]));
        assert!(!matches(&secret.digest, ""));
    }
    assert!(!matches(&made[0].0.digest, &made[1].0.text));
}
