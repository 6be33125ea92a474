use super::*;

fn record(at_us: i64, status: u16) -> Record {
    let mut builder = RecordBuilder::begin(at_us, 1, IpAddr::from([127, 0, 0, 1]));
    builder.status(status);
    builder.finish(at_us + 7)
}

#[test]
fn a_full_ring_loses_detail_but_no_counts() {
    let (writer, mut records) = ring(2, None, 9);
    for at in 0..5 {
        writer.write(record(MINUTE_US + at, 200));
    }
    writer.write(record(2 * MINUTE_US, 429));
    let mut seen = Vec::new();
    records.drain(&mut |record| seen.push(record.at_us));
    assert_eq!(seen, [MINUTE_US, MINUTE_US + 1]);
    let mut lost = records.overflow();
    lost.sort_by_key(|lost| lost.minute_us);
    let counts: Vec<_> = lost
        .iter()
        .map(|it| (it.minute_us, it.status, it.calls))
        .collect();
    assert_eq!(counts, [(MINUTE_US, 200, 3), (2 * MINUTE_US, 429, 1)]);
    assert!(records.overflow().is_empty());
}

#[test]
fn a_cut_answer_keeps_its_status_and_a_refusal_its_reason() {
    let begin = || RecordBuilder::begin(0, 1, "127.0.0.1".parse().unwrap());
    let seen = |builder: &RecordBuilder| {
        let record = builder.finish(1);
        (record.status, record.refusal, record.flags.has(Flags::CUT))
    };
    let mut answered = begin();
    answered.status(200);
    answered.cut_for(Refusal::AnswerTime);
    assert_eq!(seen(&answered), (200, Some(Refusal::AnswerTime), true));
    let mut refused = begin();
    refused.refused(Refusal::Missing);
    refused.cut_for(Refusal::AnswerTime);
    assert_eq!(seen(&refused), (401, Some(Refusal::Missing), true));
}

#[test]
fn the_time_of_steps_adds_up_to_its_maximum() {
    let sums = [
        (vec![], 0),
        (vec![3, 0, 4], 7),
        // The wall clock was set back.
        (vec![3, -9], 3),
        (vec![65_535], 65_535),
        (vec![65_536], 65_535),
        (vec![i64::MAX, 1], 65_535),
        (vec![40_000, 25_535, 1], 65_535),
    ];
    for (times, expected) in sums {
        let mut builder = RecordBuilder::begin(0, 1, "127.0.0.1".parse().unwrap());
        times.iter().for_each(|&us| builder.mediated(us));
        assert_eq!(builder.finish(1).mediate_us, expected, "{times:?}");
    }
}

/// What happens to a call, in this order, and whether it has failed then.
type Row<'r> = (&'r [fn(&mut RecordBuilder)], bool);

#[test]
fn failures_are_the_statuses_and_refusals_that_the_caller_got() {
    let rows: [Row<'_>; 9] = [
        (&[|it| it.status(200)], false),
        (&[|it| it.status(404)], false),
        (&[|it| it.status(500)], true),
        (&[|it| it.status(503), RecordBuilder::cut], false),
        (&[RecordBuilder::soap_fault, |it| it.status(500)], false),
        (&[|it| it.refused(Refusal::UpstreamTimeout)], true),
        (&[|it| it.refused(Refusal::BodyTooLarge)], false),
        (&[|it| it.refused(Refusal::Busy)], true),
        // A step that runs on the fault fails: the caller gets that.
        (
            &[RecordBuilder::soap_fault, |it| it.refused(Refusal::Policy)],
            true,
        ),
    ];
    for (at, (events, has_failed)) in rows.into_iter().enumerate() {
        let mut record = RecordBuilder::begin(0, 1, [192, 0, 2, 7].into());
        events.iter().for_each(|event| event(&mut record));
        assert_eq!(record.has_failed(), has_failed, "row {at}");
    }
    for refusal in tollgate_model::refusal::REFUSALS {
        let facts = refusal.facts();
        assert!(!facts.code.starts_with("upstream.") || facts.status >= 500);
    }
}
