//! Measures the memory of the tables and the time of look-ups: for a release build, run alone.

use std::hint::black_box;
use std::time::Instant;

use allocation_counter::measure;
use tollgate_model::id::{ApiKey, Id};
use tollgate_tokens::api_key::{self, NewKey};

use super::*;

/// Keys per application.
const KEYS_EACH: u64 = 20;

/// An id as it would be generated, a thousand a second.
fn id<K>(number: u64) -> Id<K> {
    let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 42;
    Id::new(1_790_000_000_000 + number, u32::try_from(random).unwrap())
}

fn made(number: u64) -> NewKey {
    let secret = u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    api_key::make(Environment::Production, id(number), secret.to_be_bytes())
}

fn served(number: u64) -> Event {
    Event::Credential(ServedCredential {
        digest: made(number).digest,
        application: id(number / KEYS_EACH),
        ..credential(CredentialId::ApiKey(id::<ApiKey>(number)), 0)
    })
}

fn revoked(number: u64) -> Event {
    Event::TokenRevoked(RevokedToken {
        id: id(number),
        expires_us: NOW_US + 3_600_000_000,
    })
}

fn resident_mb() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages = pages.split(' ').nth(1).unwrap();
    pages.parse::<usize>().unwrap() * 4_096 / 1_000_000
}

fn finds_key(snapshot: &Snapshot, text: &[u8]) -> bool {
    let (id, digest) = api_key::parse(text).unwrap();
    let key = snapshot.api_keys.find(&id);
    key.is_some_and(|key| key.accepts(&digest, NOW_US))
}

/// Nanoseconds to find a key: the best of several rounds over keys from all over the table.
fn find_ns(snapshot: &Snapshot, keys: u64) -> f64 {
    const FINDS: u32 = 200_000;
    let texts = (0..u64::from(FINDS)).map(|number| made(number.wrapping_mul(611_953) % keys).text);
    let texts: Vec<_> = texts.collect();
    let round = || {
        let began = Instant::now();
        for text in &texts {
            assert!(finds_key(black_box(snapshot), text.as_bytes()));
        }
        began.elapsed().as_nanos() as f64 / f64::from(FINDS)
    };
    (0..9).map(|_| round()).fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "a measurement for a release build: memory of a million keys and revocations"]
fn memory_of_keys_and_revocations() {
    for keys in [1_000, 1_000_000] {
        let mut reader = reader();
        let (resident, began) = (resident_mb(), Instant::now());
        let read = |reader: &mut Reader, sequence, event: fn(u64) -> Event| {
            measure(|| {
                let events = (0..keys).map(event).collect();
                reader.apply(change(sequence, sequence + 1, events));
            })
        };
        let of_keys = read(&mut reader, 0, served);
        let (resident_keys, took) = (resident_mb(), began.elapsed());
        let of_revocations = read(&mut reader, 1, revoked);
        let each = |bytes: i64| bytes / i64::try_from(keys).unwrap();
        println!(
            "{keys} keys: {} B each, resident {} MB more, made and read in {took:.1?}; as many \
             revocations: {} B each, resident {} MB more; {} MB resident in all; an event of {} B; \
             a key is found in {:.0} ns",
            each(of_keys.bytes_current),
            resident_keys - resident,
            each(of_revocations.bytes_current),
            resident_mb() - resident_keys,
            resident_mb(),
            size_of::<Event>(),
            find_ns(&reader.current.load(), keys),
        );
        let began = Instant::now();
        for number in keys..keys + 1_000 {
            reader.apply(change(number, number + 1, vec![served(number)]));
        }
        let one = began.elapsed() / 1_000;
        reader.nouns.endings.api_keys.note(0);
        let began = Instant::now();
        reader.forget_ended(NOW_US);
        println!(
            "{one:.1?} for one more key, {:.1?} to scan for expired entries",
            began.elapsed()
        );
    }
}
