//! For any sequence of events about keys and HTTP Basic users, the snapshot finds exactly what a
//! plain map of the last events finds, and expired entries leave nothing behind.

use proptest::prelude::*;

use super::*;
use crate::worker::recent::RecentKeys;

/// Three keys and three users.
const IDS: std::ops::Range<i64> = 1..7;
/// Secrets that each of them may have, in any order, possibly again.
const SECRETS: std::ops::Range<u8> = 0..5;

#[derive(Debug, Clone)]
enum Step {
    Put {
        id: i64,
        secret: u8,
        /// The previous secret and the second when it expires.
        previous: Option<(u8, i64)>,
        expires: Option<i64>,
    },
    Gone(i64),
    /// This many seconds pass, and a heartbeat arrives.
    Pass(i64),
    /// A full message arrives again.
    Whole,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let seconds = 0..400_i64;
    let put = (
        IDS,
        SECRETS,
        prop::option::of((SECRETS, seconds.clone())),
        prop::option::of(seconds),
    );
    let put = put.prop_map(|(id, secret, previous, expires)| Step::Put {
        id,
        secret,
        // Keys are not rotated in place.
        previous: previous.filter(|_| is_user(id)),
        expires,
    });
    let step = prop_oneof![
        6 => put,
        2 => IDS.prop_map(Step::Gone),
        3 => (0..90_i64).prop_map(Step::Pass),
        1 => Just(Step::Whole),
    ];
    prop::collection::vec(step, 0..60)
}

fn is_user(id: i64) -> bool {
    id > 3
}

fn credential_id(id: i64) -> CredentialId {
    match is_user(id) {
        true => CredentialId::BasicUser(BasicUserId::from_raw(id)),
        false => CredentialId::ApiKey(ApiKeyId::from_raw(id)),
    }
}

/// No two credentials have the same secret.
fn digest(id: i64, secret: u8) -> Digest {
    [u8::try_from(id).unwrap() * 16 + secret; 32]
}

fn at_us(second: i64) -> i64 {
    NOW_US + second * 1_000_000
}

/// Finds it like a worker with a key cache.
fn finds(
    (snapshot, recent): (&Snapshot, &mut RecentKeys),
    id: i64,
    digest: &Digest,
    now_us: i64,
) -> bool {
    if is_user(id) {
        let found = snapshot.basic_user(digest);
        return found.is_some_and(|(_, user)| user.accepts(digest, now_us));
    }
    let id = ApiKeyId::from_raw(id);
    recent.find(snapshot, id, digest, now_us).is_some()
}

/// A plain map of the last events.
#[derive(Default)]
struct Model(HashMap<i64, ServedCredential>);

impl Model {
    fn finds(&self, id: i64, digest: &Digest, now_us: i64) -> bool {
        let served = self.0.get(&id);
        let is_in_time = |until_us: Option<i64>| until_us.is_none_or(|it| now_us < it);
        served.is_some_and(|served| {
            let previous = served.previous.filter(|&(_, it)| is_in_time(Some(it)));
            let is_previous = previous.is_some_and(|(previous, _)| previous == *digest);
            (served.digest == *digest || is_previous) && is_in_time(served.expires_us)
        })
    }

    /// The number of keys, users and user digests, without those that expired before this minute.
    fn counts(&self, now_us: i64) -> [usize; 3] {
        let minute_us = now_us - now_us % 60_000_000;
        let has_ended = |until_us: Option<i64>| until_us.is_some_and(|it| it < minute_us);
        let mut counts = [0; 3];
        let left = self.0.iter().filter(|(_, it)| !has_ended(it.expires_us));
        for (&id, served) in left {
            counts[usize::from(is_user(id))] += 1;
            let previous = served.previous.filter(|&(_, it)| !has_ended(Some(it)));
            let previous = previous.is_some_and(|(digest, _)| digest != served.digest);
            counts[2] += usize::from(is_user(id)) * (1 + usize::from(previous));
        }
        counts
    }
}

fn counts(snapshot: &Snapshot) -> [usize; 3] {
    let [mut keys, mut users, mut digests] = [0; 3];
    snapshot.api_keys.for_each(|_, _| keys += 1);
    snapshot.basic_users.for_each(|_, _| users += 1);
    snapshot.basic_user_ids.for_each(|_, _| digests += 1);
    [keys, users, digests]
}

proptest! {
    #[test]
    fn the_snapshot_matches_the_last_events(steps in steps()) {
        let (mut reader, mut model) = (reader(), Model::default());
        let mut recent = RecentKeys::default();
        let mut now_us = NOW_US;
        for step in steps {
            let sequence = reader.snapshot.sequence;
            match step {
                Step::Put { id, secret, previous, expires } => {
                    let served = ServedCredential {
                        digest: digest(id, secret),
                        previous: previous.map(|(it, until)| (digest(id, it), at_us(until))),
                        expires_us: expires.map(at_us),
                        ..credential(credential_id(id), 0)
                    };
                    let event = Event::Credential(served.clone());
                    reader.apply(change(sequence, sequence + 1, vec![event]));
                    model.0.insert(id, served);
                }
                Step::Gone(id) => {
                    let event = Event::CredentialGone(credential_id(id));
                    reader.apply(change(sequence, sequence + 1, vec![event]));
                    model.0.remove(&id);
                }
                Step::Pass(seconds) => now_us += seconds * 1_000_000,
                Step::Whole => {
                    let events = model.0.values().cloned().map(Event::Credential);
                    reader.replace(change(0, sequence + 1, events.collect()));
                }
            }
            let snapshot = reader.current.load();
            for (id, secret) in IDS.flat_map(|id| SECRETS.map(move |secret| (id, secret))) {
                let digest = digest(id, secret);
                prop_assert_eq!(
                    finds((&snapshot, &mut recent), id, &digest, now_us),
                    model.finds(id, &digest, now_us)
                );
            }
            reader.forget_ended(now_us);
            prop_assert_eq!(counts(&reader.snapshot), model.counts(now_us));
        }
    }
}
