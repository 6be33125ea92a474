use super::*;

#[test]
fn an_algorithm_is_its_word_in_json_and_reads_back() {
    for algorithm in Algorithm::ALL {
        let json = serde_json::to_string(&algorithm).unwrap();
        assert_eq!(json, format!("\"{}\"", algorithm.word()));
        assert_eq!(serde_json::from_str::<Algorithm>(&json).unwrap(), algorithm);
        assert_eq!(Algorithm::from_word(algorithm.word()), Some(algorithm));
    }
    for word in ["none", "HS256", "es256", "ES384", "EdDSA ", ""] {
        assert_eq!(Algorithm::from_word(word), None, "{word}");
    }
    assert_eq!(Algorithm::default(), Algorithm::Es256);
}

#[test]
fn eddsa_has_a_second_name_in_signatures_of_other_issuers() {
    let accepted = Algorithm::ACCEPTED.map(|alg| Algorithm::from_alg(alg).unwrap());
    assert!(Algorithm::ALL.iter().all(|it| accepted.contains(it)));
    assert_eq!(Algorithm::from_alg("Ed25519"), Some(Algorithm::EdDsa));
    assert_eq!(Algorithm::from_word("Ed25519"), None, "it is not stored");
    for alg in ["Ed448", "ed25519", "ESP256", "none", ""] {
        assert_eq!(Algorithm::from_alg(alg), None, "{alg}");
    }
}
