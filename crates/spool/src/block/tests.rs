use proptest::prelude::*;
use tollgate_model::agent::Agent;
use tollgate_model::credential::CredentialKind;
use tollgate_model::id::Id;
use tollgate_model::operation::METHODS;
use tollgate_model::record::{
    Answered, AnsweredBy, CacheUse, Flags, Owner, Record, RefusedBy, ShortTime,
};
use tollgate_model::refusal::Refusal;

use super::*;
use crate::call::{self, Call};
use fuzzing::{Random, fuzz};

#[path = "../../../soap/tests/support/fuzzing.rs"]
mod fuzzing;

fn id<K>(raw: i64) -> Option<Id<K>> {
    (raw > 0).then(|| Id::from_raw(raw))
}

/// A call made of numbers, with each part at its bounds at times.
fn call(numbers: [u64; 8]) -> Call {
    let [a, b, c, d, e, f, g, h] = numbers;
    let small = |number: u64| i64::try_from(number % 5).unwrap();
    let short = |number: u64| ShortTime::from_number(number as u16);
    let record = Record {
        at_us: 1_700_000_000_000_000 + i64::try_from(a % 5_000_000).unwrap(),
        number: b,
        api: id(small(a)),
        version: id(small(b) * 1_000_000_007),
        revision: id(small(c)),
        operation: id(small(d) << 60),
        application: id(small(e)),
        plan: id(small(f)),
        credential: small(g),
        bytes_in: h,
        bytes_out: g % 100_000,
        address: (u128::from(a) << 64 | u128::from(h)).to_be_bytes(),
        total_us: c as u32,
        before_us: d as u32,
        upstream_us: e as u32,
        mediate_us: f as u16,
        status: (g % 600) as u16,
        upstream_status: (h % 600) as u16,
        agent: Agent::from_number((a % 90) as u16),
        refused_by: (b % 3 == 0).then(|| RefusedBy::new(Owner::Version, (c % 8_192) as usize)),
        authenticate: short(d),
        admit: short(e),
        refusal: (f % 2 == 0).then_some(Refusal::NoApi),
        credential_kind: (g % 2 == 0).then_some(CredentialKind::Client),
        answered: Answered::new(
            AnsweredBy::ALL[(h % 5) as usize],
            CacheUse::ALL[(a % 6) as usize],
        ),
        flags: Flags::from_bits((b % 16) as u8).unwrap(),
        method: METHODS.get((c % 9) as usize).copied(),
    };
    let worker = u64::MAX - d % 3;
    Call { worker, record }
}

fn stored(mut call: Call) -> Call {
    call.record.address = call::network(call.record.address);
    call
}

fn encoded(calls: &[Call]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let encoder = Encoder::new();
    encoder.unwrap().encode(calls, 7, 1, &mut bytes).unwrap();
    bytes
}

fn decoded(bytes: &[u8]) -> Result<Vec<Call>, Damage> {
    let (head, body) = bytes.split_first_chunk().ok_or(Damage::Cut)?;
    let head = Head::from_bytes(head)?;
    let mut calls = Vec::new();
    let block = Block::new(head, body.to_vec())?;
    block.read(&mut calls)?;
    for part in [Part::Route, Part::Caller, Part::Outcome] {
        assert_eq!(block.column(part)?.places.len(), calls.len());
    }
    if let Some(last) = calls.len().checked_sub(1) {
        assert_eq!(block.pick(&[0, last])?, [calls[0], calls[last]]);
    }
    assert_eq!(block.pick(&[calls.len()]), Err(Damage::Undecodable));
    Ok(calls)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn calls_are_read_as_they_were_written(
        calls in prop::collection::vec(any::<[u64; 8]>().prop_map(call), 1..300),
    ) {
        let bytes = encoded(&calls);
        let expected: Vec<_> = calls.into_iter().map(stored).collect();
        prop_assert_eq!(decoded(&bytes), Ok(expected));
    }
}

#[test]
fn fuzz_forged_blocks_are_refused_or_read_but_never_more() {
    fuzz(|random| {
        let count = 1 + random.below(40);
        let numbers = |random: &mut Random| [(); 8].map(|()| random.next());
        let calls: Vec<_> = (0..count).map(|_| call(numbers(random))).collect();
        let mut bytes = encoded(&calls);
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = random.next() as u8;
        }
        // Those who forge a block know the checksums.
        let (head, body) = bytes.split_at_mut(HEAD_BYTES);
        head[..4].copy_from_slice(&MAGIC);
        head[8..12].copy_from_slice(&crc32fast::hash(body).to_le_bytes());
        let crc = crc32fast::hash(&head[8..]);
        head[4..8].copy_from_slice(&crc.to_le_bytes());
        let read = decoded(&bytes);
        if let Ok(calls) = &read {
            assert!(calls.len() <= CALLS_MAX);
        }
        read.is_ok()
    });
}

#[test]
fn a_part_is_read_without_the_others() {
    let calls: Vec<_> = (1..100).map(|at| call([at * 7_919; 8])).collect();
    let bytes = encoded(&calls);
    let (head, body) = bytes.split_first_chunk().unwrap();
    let block = Block::new(Head::from_bytes(head).unwrap(), body.to_vec()).unwrap();
    let read = |parts: &[Part]| {
        let mut read = Vec::new();
        block.read_parts(parts, &mut read).unwrap();
        read
    };
    // Each part is its own: in any order they are the whole call.
    let whole: Vec<_> = calls.into_iter().map(stored).collect();
    let mut parts = Part::ALL;
    parts.reverse();
    assert_eq!(read(&parts), whole);
    for (at, part) in Part::ALL.iter().enumerate() {
        let others = [&Part::ALL[..at], &Part::ALL[at + 1..]].concat();
        assert_ne!(read(&[*part]), read(&[]), "{part:?}");
        assert_ne!(read(&others), whole, "{part:?}");
    }
    let routes = read(&[Part::Route]);
    for (route, whole) in routes.iter().zip(&whole) {
        let expected = Record {
            at_us: whole.record.at_us,
            api: whole.record.api,
            version: whole.record.version,
            revision: whole.record.revision,
            operation: whole.record.operation,
            ..Record::default()
        };
        assert_eq!(route.record, expected);
    }
}

#[test]
fn a_column_has_each_value_once() {
    let calls: Vec<_> = (0..100).map(|at| call([at % 7 * 7_919; 8])).collect();
    let bytes = encoded(&calls);
    let (head, body) = bytes.split_first_chunk().unwrap();
    let block = Block::new(Head::from_bytes(head).unwrap(), body.to_vec()).unwrap();
    for part in [Part::Route, Part::Caller, Part::Outcome] {
        let column = block.column(part).unwrap();
        assert!(column.values.len() <= 7, "{part:?}");
        let mut read = Vec::new();
        block.read_parts(&[part], &mut read).unwrap();
        let values = column
            .places
            .iter()
            .map(|it| column.values[usize::from(*it)]);
        for (value, call) in values.zip(&read) {
            let at_us = call.record.at_us;
            assert_eq!(Record { at_us, ..value }, call.record);
        }
        assert_eq!(column.places.len(), read.len());
    }
    let others = Part::ALL.iter().filter(|it| block.column(**it).is_err());
    assert_eq!(others.count(), 5);
}

#[test]
fn a_changed_byte_is_noticed() {
    let calls: Vec<_> = (1..100).map(|at| call([at; 8])).collect();
    let bytes = encoded(&calls);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert_eq!(decoded(&changed), Err(Damage::Changed), "{at}");
    }
}

#[test]
fn addresses_are_written_as_networks() {
    let of = |text: &str| match text.parse().unwrap() {
        std::net::IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        std::net::IpAddr::V6(address) => address.octets(),
    };
    let rows = [
        ("192.0.2.77", "192.0.2.0"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::"),
        ("::ffff:203.0.113.9", "203.0.113.0"),
        ("::1", "::"),
    ];
    for (address, network) in rows {
        assert_eq!(call::network(of(address)), of(network), "{address}");
    }
}

fn made<K>(kind: u64, of: u64) -> Option<Id<K>> {
    id(((kind << 56) | (of * 0x9e37_79b9_7f4b) | 1) as i64)
}

/// Calls as a busy gateway has them: many operations and callers, times that vary.
fn traffic(count: u64) -> Vec<Call> {
    let mut state = 1_u64;
    let mut random = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let calls = (0..count).map(|at| {
        let operation = random(45).pow(2);
        let version = operation % 300;
        let application = random(45).pow(2);
        let upstream_us = 2_000 + random(64).pow(2) as u32;
        let before_us = 40 + random(20) as u32;
        let record = Record {
            at_us: 1_700_000_000_000_000 + (at * 200 + random(150)) as i64,
            number: at / 2,
            api: made(1, version),
            version: made(2, version),
            revision: made(3, version),
            operation: made(4, operation),
            application: made(5, application),
            plan: made(6, application % 5),
            credential: (7 << 56 | application) as i64,
            credential_kind: Some(CredentialKind::ApiKey),
            bytes_out: 500 + random(400),
            before_us,
            upstream_us,
            total_us: before_us + upstream_us + 20 + random(30) as u32,
            status: if random(50) == 0 { 404 } else { 200 },
            upstream_status: 200,
            method: Some(METHODS[(operation % 3) as usize]),
            agent: Agent::from_number(random(6) as u16),
            ..Record::default()
        };
        Call {
            worker: at % 2,
            record,
        }
    });
    calls.collect()
}

#[test]
fn a_call_takes_few_bytes() {
    let full = encoded(&traffic(CALLS_MAX as u64)).len() / CALLS_MAX;
    assert!(full <= 20, "{full} bytes a call");
    let hour = encoded(&traffic(3_600)).len() / 3_600;
    assert!(hour <= 40, "{hour} bytes a call");
}

/// Run alone: `cargo test --release -p tollgate-spool figures -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn figures() {
    let calls = traffic(CALLS_MAX as u64);
    let mut encoder = Encoder::new().unwrap();
    let (mut bytes, begun) = (Vec::new(), std::time::Instant::now());
    const TIMES: u32 = 50;
    for _ in 0..TIMES {
        bytes.clear();
        encoder.encode(&calls, 0, 0, &mut bytes).unwrap();
    }
    let all = f64::from(TIMES) * CALLS_MAX as f64;
    let encoded = all / begun.elapsed().as_secs_f64() / 1e6;
    let begun = std::time::Instant::now();
    for _ in 0..TIMES {
        assert_eq!(decoded(&bytes).unwrap().len(), CALLS_MAX);
    }
    let decoded = all / begun.elapsed().as_secs_f64() / 1e6;
    let size = bytes.len() as f64 / CALLS_MAX as f64;
    println!("{encoded:.1} M calls/s in, {decoded:.1} M calls/s out, {size:.1} bytes a call");
}
