//! Fuzz targets without a fuzzer, which run with every test: random mutations of tokens and key
//! sets. Tokens are compared with a second, naive reading of the same bytes by `serde_json`.

use std::collections::HashMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use tollgate_model::algorithm::Algorithm;
use tollgate_tokens::jwk;
use tollgate_tokens::jwt::{Invalid, Unverified};
use tollgate_tokens::key::{SigningKey, Verifier};

#[path = "../../soap/tests/support/fuzzing.rs"]
mod fuzzing;

use fuzzing::{Random, fuzz};

const HEADER: &str = r#"{"alg":"ES256","typ":"at+jwt","kid":"k1"}"#;
const CLAIMS: &str = r#"{"iss":"i","sub":"s","aud":["a","b"],"exp":1800000000,"nbf":0.5,
    "iat":1e9,"jti":"j\n","client_id":"c","scope":"r w","x":{"y":[1,true,null,"\ud83d\ude00"]}}"#;

const WORDS: [&str; 40] = [
    "\"",
    "\\",
    "\\\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    " ",
    "\n",
    "\0",
    "\u{fc}",
    "-",
    "+",
    ".",
    "e",
    "0",
    "1",
    "1e400",
    "-1",
    "null",
    "true",
    "\"alg\":\"none\",",
    "\"alg\":\"RS256\",",
    "\"crit\":[],",
    "\"exp\":\"1\",",
    "\"exp\":1,",
    "\"aud\":\"a\",",
    "\"aud\":[],",
    "\"typ\":1,",
    "\"iss\":null,",
    "\"x\":",
    "{\"x\":1}",
    "[[[[[[[[[[[[[[[[",
    "]]]]]]]]]]]]]]]]",
    "\\u0061",
    "\\ud800",
    "\\u00",
    "\"y\":1,\"y\":1",
];

/// JSON as read by `serde_json`, without duplicate members.
#[derive(Debug, Clone, PartialEq)]
enum Naive {
    Nothing,
    Number(f64),
    Text(String),
    List(Vec<Naive>),
    Object(HashMap<String, Naive>),
}

impl Naive {
    fn depth(&self) -> usize {
        match self {
            Self::List(of) => 1 + of.iter().map(Self::depth).max().unwrap_or_default(),
            Self::Object(of) => 1 + of.values().map(Self::depth).max().unwrap_or_default(),
            _ => 0,
        }
    }
}

impl<'de> Deserialize<'de> for Naive {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Naive;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("JSON")
            }

            fn visit_bool<E>(self, _: bool) -> Result<Naive, E> {
                Ok(Naive::Nothing)
            }

            fn visit_unit<E>(self) -> Result<Naive, E> {
                Ok(Naive::Nothing)
            }

            fn visit_i64<E>(self, number: i64) -> Result<Naive, E> {
                Ok(Naive::Number(number as f64))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Naive, E> {
                Ok(Naive::Number(number as f64))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Naive, E> {
                Ok(Naive::Number(number))
            }

            fn visit_str<E>(self, text: &str) -> Result<Naive, E> {
                Ok(Naive::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Naive, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = list.next_element()? {
                    elements.push(element);
                }
                Ok(Naive::List(elements))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Naive, A::Error> {
                let mut members = HashMap::new();
                while let Some((name, value)) = map.next_entry::<String, Naive>()? {
                    if members.insert(name, value).is_some() {
                        return Err(A::Error::custom("twice"));
                    }
                }
                Ok(Naive::Object(members))
            }
        }
        from.deserialize_any(Any)
    }
}

/// Returns the members of an object that nests no deeper than allowed. `Err(true)`: `serde_json`
/// rejects numbers beyond a double anywhere, Tollgate only in members that it uses.
fn naive(json: &[u8]) -> Result<HashMap<String, Naive>, bool> {
    match serde_json::from_slice::<Naive>(json) {
        Ok(read) if read.depth() > 16 => Err(false),
        Ok(Naive::Object(members)) => Ok(members),
        Ok(_) => Err(false),
        Err(error) => Err(error.to_string().starts_with("number out of range")),
    }
}

fn is_sound_header(members: &HashMap<String, Naive>) -> bool {
    let is_text = |name| matches!(members.get(name), None | Some(Naive::Text(_)));
    let algorithm = match members.get("alg") {
        Some(Naive::Text(word)) => Algorithm::from_word(word),
        _ => None,
    };
    algorithm.is_some() && !members.contains_key("crit") && is_text("kid") && is_text("typ")
}

fn are_sound_claims(members: &HashMap<String, Naive>) -> bool {
    let is_text = |name| matches!(members.get(name), None | Some(Naive::Text(_)));
    let is_time = |name| match members.get(name) {
        None => true,
        Some(Naive::Number(time)) => *time >= 0.0 && time.is_sign_positive(),
        Some(_) => false,
    };
    let is_audience = match members.get("aud") {
        None | Some(Naive::Text(_)) => true,
        Some(Naive::List(of)) => !of.is_empty() && of.iter().all(|it| matches!(it, Naive::Text(_))),
        Some(_) => false,
    };
    let texts = ["iss", "sub", "jti", "client_id", "scope"];
    let times = ["exp", "nbf", "iat"];
    is_audience && texts.into_iter().all(is_text) && times.into_iter().all(is_time)
}

fn mutated(random: &mut Random, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(4) {
            0 => drop(bytes.splice(at..at, WORDS[random.below(WORDS.len())].bytes())),
            1 => bytes.truncate(at.max(bytes.len().saturating_sub(3))),
            2 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            _ => {
                // Removes or repeats a piece.
                let to = (at + random.below(24)).min(bytes.len());
                let piece = bytes[at..to].to_vec();
                let end = if random.below(2) == 0 { to } else { at };
                bytes.splice(at..end, if end == at { piece } else { Vec::new() });
            }
        }
    }
    bytes
}

/// Returns whether the token's form was accepted.
fn token(random: &mut Random) -> bool {
    let (header, claims) = (mutated(random, HEADER), mutated(random, CLAIMS));
    let (header_text, claims_text) = (
        URL_SAFE_NO_PAD.encode(&header),
        URL_SAFE_NO_PAD.encode(&claims),
    );
    let mut token = format!("{header_text}.{claims_text}.AAAA").into_bytes();
    let is_whole = random.below(4) < 3;
    if !is_whole {
        let at = random.below(token.len());
        token[at] ^= 1 << random.below(8);
    }
    let mut space = Vec::new();
    let read = Unverified::parse(&token, &mut space);
    if !is_whole {
        return read.is_ok();
    }
    let (header, claims) = (naive(&header), naive(&claims));
    if header == Err(true) || claims == Err(true) {
        return read.is_ok();
    }
    let is_sound =
        header.as_ref().is_ok_and(is_sound_header) && claims.as_ref().is_ok_and(are_sound_claims);
    let shown = String::from_utf8_lossy(&token);
    assert_eq!(read.is_ok(), is_sound, "{:?}: {shown}", read.err());
    if let (Ok(read), Ok(claims)) = (read, claims) {
        let said = read.claims();
        let text = |name| match claims.get(name) {
            Some(Naive::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        assert_eq!(said.issuer(), text("iss"));
        assert_eq!(said.token_id(), text("jti"));
        let time_us = claims.get("exp").map(|it| match it {
            Naive::Number(time) => (time * 1e6).floor() as i64,
            other => panic!("{other:?}"),
        });
        let apart = said
            .expires_us()
            .zip(time_us)
            .map_or(0, |(one, other)| one.abs_diff(other));
        assert_eq!(said.expires_us().is_some(), time_us.is_some());
        // Doubles as large as today's times are exact to a microsecond.
        assert!(apart <= 1 || time_us > Some(1 << 52), "{shown}");
    }
    is_sound
}

#[test]
fn a_mutated_token_is_read_as_serde_json_reads_it() {
    assert!(token(&mut Random(0)), "the seed itself is valid");
    fuzz(token);
}

/// Returns whether the key set was accepted.
fn key_set(random: &mut Random, seeds: &[String]) -> bool {
    let seed = random.below(seeds.len());
    let bytes = mutated(random, &seeds[seed]);
    let usable = jwk::usable(&bytes);
    match jwk::parse(&bytes) {
        Ok(keys) => {
            for key in &keys {
                assert!(Verifier::new(&key.key).is_ok());
                let again = format!("{{\"keys\":[{}]}}", key.key.jwk("k"));
                let again = jwk::parse(again.as_bytes()).expect("a written key set can be read");
                assert_eq!(again[0].key, key.key);
            }
            assert_eq!(usable, Ok(keys));
            true
        }
        Err(faults) => {
            assert!(faults.iter().all(|it| !it.detail.is_empty()) && !faults.is_empty());
            false
        }
    }
}

#[test]
fn a_mutated_key_set_is_refused_or_has_usable_keys() {
    let seeds = Algorithm::ALL.map(|algorithm| {
        let key = SigningKey::generate(algorithm)
            .expect("a key")
            .public()
            .jwk("one");
        let other = SigningKey::generate(Algorithm::EdDsa)
            .expect("a key")
            .public()
            .jwk("two");
        format!("{{\"keys\":[{key},{other}]}}")
    });
    fuzz(|random| key_set(random, &seeds));
}

#[test]
fn a_hostile_token_of_maximum_length_is_checked_fast() {
    // Distinct names: comparing each with each would take millions of steps.
    let mut names = (0..).map(|number| format!("\"{number}\":0"));
    let mut claims = String::from("{");
    while claims.len() < 11_900 {
        claims += &names.next().expect("endless");
        claims.push(',');
    }
    claims += "\"0\":0}";
    let token = format!(
        "{}.{}.AA",
        URL_SAFE_NO_PAD.encode(HEADER),
        URL_SAFE_NO_PAD.encode(claims)
    );
    let mut space = Vec::new();
    // The fastest of many: other load cannot slow down all of them.
    let took = (0..50).map(|_| {
        let start = std::time::Instant::now();
        let refused = Unverified::parse(token.as_bytes(), &mut space).err();
        assert_eq!(refused, Some(Invalid::Duplicate));
        start.elapsed()
    });
    let took = took.min().expect("a time");
    assert!(took < std::time::Duration::from_millis(100), "{took:?}");
}
