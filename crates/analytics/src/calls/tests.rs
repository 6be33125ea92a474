use proptest::prelude::*;
use tollgate_model::agent::Agent;
use tollgate_model::credential::CredentialKind;
use tollgate_model::id::{ApiId, ApplicationId, OperationId, PlanId, VersionId};
use tollgate_model::record::{Answered, AnsweredBy, CacheUse, Flags};
use tollgate_model::refusal::REFUSALS;

use super::*;

#[test]
fn a_key_has_the_largest_values_of_every_dimension() {
    let record = Record {
        api: Some(ApiId::from_raw(i64::MAX)),
        version: Some(VersionId::from_raw(i64::MAX - 1)),
        operation: Some(OperationId::from_raw(i64::MAX - 2)),
        application: Some(ApplicationId::from_raw(i64::MAX - 3)),
        plan: Some(PlanId::from_raw(i64::MAX - 4)),
        credential: i64::MAX - 5,
        credential_kind: Some(CredentialKind::Token),
        status: u16::MAX,
        refusal: REFUSALS.last().copied(),
        answered: Answered::new(AnsweredBy::Upstream, CacheUse::ALL[CacheUse::ALL.len() - 1]),
        agent: Agent::from_number(u16::MAX),
        flags: Flags::from_bits(15).unwrap(),
        ..Record::default()
    };
    let key = CallKey::of(&record);
    for dimension in Dimension::ALL {
        assert_eq!(key.value(dimension), dimension.of(&record), "{dimension:?}");
    }
}

proptest! {
    #[test]
    fn times_are_counted_as_if_each_were_at_once(
        times in prop::collection::vec((0..5_000_u32, prop::option::of(0..5_000_u32)), 0..400),
    ) {
        let mut sums = Sums::default();
        let mut expected = <[Sketch; TIMES]>::default();
        for (total_us, upstream_us) in times {
            let record = Record {
                total_us,
                upstream_us: upstream_us.unwrap_or_default(),
                upstream_status: upstream_us.map_or(0, |_| 200),
                ..Record::default()
            };
            let call = Measured::new(&record);
            sums.add_call(&call, &Time::ALL);
            expected[Time::Total as usize].add(total_us);
            expected[Time::Gateway as usize].add(call.gateway_us);
            if let Some(us) = call.upstream_us {
                expected[Time::Upstream as usize].add(us);
            }
        }
        for (time, expected) in Time::ALL.into_iter().zip(expected) {
            let mut sketch = Sketch::default();
            sums.merge_into(time, &mut sketch);
            prop_assert_eq!(&sketch, &expected);
            sums.merge_into(time, &mut sketch);
            let mut twice = expected.clone();
            twice.merge(&expected);
            prop_assert_eq!(sketch, twice);
        }
    }
}
