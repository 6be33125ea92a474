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
