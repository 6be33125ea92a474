//! The cost of a token for the gateway: form and rules, its signature by each algorithm, the digest
//! that a cached one is looked up by; and the other credentials.

use std::hint::black_box;

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256,
    UnparsedPublicKey, VerificationAlgorithm,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use criterion::{Criterion, Throughput};
use serde_json::{Value, json};
use tollgate_model::algorithm::Algorithm;
use tollgate_model::id::AccessTokenId;
use tollgate_tokens::jwt::{Expected, Kind, Unverified};
use tollgate_tokens::key::{SigningKey, Verifier};
use tollgate_tokens::{basic, jwt, opaque};

const ISSUER: &str = "https://control.example";
/// Length of the tokens, bytes.
const TOKEN_BYTES: usize = 700;

fn key(algorithm: Algorithm) -> SigningKey {
    SigningKey::generate(algorithm).expect("a key")
}

/// Creates an access token like those of the key manager, with scopes until it is long enough.
fn token(key: &SigningKey) -> String {
    let claims = |scope: &str| -> Value {
        json!({
            "iss": ISSUER, "aud": "https://gateway.example", "exp": 2_000, "iat": 1_000,
            "jti": "00000000001", "sub": "cli_00000000001", "client_id": "cli_00000000001",
            "scope": scope,
        })
    };
    let (mut scope, kid) = (String::from("pets:read"), key.public().thumbprint());
    loop {
        let token = jwt::sign(key, &kid, "at+jwt", &claims(&scope));
        if token.len() >= TOKEN_BYTES {
            return token;
        }
        scope += " pets:write";
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    read(&mut criterion);
    verify(&mut criterion);
    sign(&mut criterion);
    others(&mut criterion);
    criterion.final_summary();
}

fn read(criterion: &mut Criterion) {
    let token = token(&key(Algorithm::Es256));
    let audiences = ["https://gateway.example".to_owned()];
    let expected = Expected {
        kind: Kind::AccessToken,
        issuer: ISSUER,
        audiences: &audiences,
        now_us: 1_500_000_000,
        leeway_us: 0,
        lifetime_us_max: None,
    };
    let mut group = criterion.benchmark_group("jwt");
    group.throughput(Throughput::Bytes(token.len() as u64));
    let mut space = Vec::new();
    group.bench_function(format!("form and rules {} B", token.len()), |bencher| {
        bencher.iter(|| {
            let token = Unverified::parse(black_box(token.as_bytes()), &mut space);
            let checked = token.and_then(|token| token.check(&expected));
            black_box(checked.is_ok())
        });
    });
    group.bench_function(format!("digest {} B", token.len()), |bencher| {
        bencher.iter(|| jwt::digest(black_box(token.as_bytes())));
    });
    group.finish();
}

fn verify(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("verify");
    for algorithm in Algorithm::ALL {
        let key = key(algorithm);
        let message = [b'x'; TOKEN_BYTES];
        let signature = key.sign(&message);
        let verifier = Verifier::new(key.public()).expect("a valid key");
        assert!(verifier.verify(&message, &signature));
        group.bench_function(algorithm.word(), |bencher| {
            bencher.iter(|| verifier.verify(black_box(&message), black_box(&signature)));
        });
        // For comparison: the cost that `Verifier` saves.
        let primitive: &'static dyn VerificationAlgorithm = match algorithm {
            Algorithm::Es256 => &ECDSA_P256_SHA256_FIXED,
            Algorithm::EdDsa => &ED25519,
            Algorithm::Rs256 => &RSA_PKCS1_2048_8192_SHA256,
            Algorithm::Ps256 => &RSA_PSS_2048_8192_SHA256,
        };
        let unparsed = UnparsedPublicKey::new(primitive, key.public().bytes());
        group.bench_function(
            format!("{}, key parsed each time", algorithm.word()),
            |bencher| {
                bencher.iter(|| unparsed.verify(black_box(&message), black_box(&signature)));
            },
        );
    }
    group.finish();
}

fn sign(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sign");
    for algorithm in Algorithm::ALL {
        let key = key(algorithm);
        group.bench_function(algorithm.word(), |bencher| {
            bencher.iter(|| key.sign(black_box(&[b'x'; TOKEN_BYTES])));
        });
    }
    group.finish();
}

fn others(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("others");
    let token = opaque::make(AccessTokenId::from_raw(1 << 60), [7; 16]).text;
    group.bench_function("opaque, read and digest", |bencher| {
        bencher.iter(|| opaque::parse(black_box(token.as_bytes())));
    });
    let credentials = STANDARD.encode("petshop:tg_pw_00000000000000000000000000000");
    group.bench_function("basic, read and digest", |bencher| {
        bencher.iter(|| {
            let basic = basic::Basic::parse(black_box(credentials.as_bytes()));
            black_box(basic.expect("sound credentials").digest())
        });
    });
    group.finish();
}
