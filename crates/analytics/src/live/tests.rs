use tokio::time::timeout;
use tollgate_model::id::{ApplicationId, Id};

use super::*;

const USER: UserId = UserId::from_raw(9);

fn record(application: i64, number: u64) -> Record {
    Record {
        number,
        application: Some(Id::from_raw(application)),
        address: [0xff; 16],
        ..Record::default()
    }
}

fn of(application: i64) -> Filter {
    Filter {
        applications: Some(vec![ApplicationId::from_raw(application)]),
        ..Filter::default()
    }
}

fn show(all: &Watchers, records: &[Record]) {
    all.show(7, |show| records.iter().for_each(show));
}

fn numbers(seen: &Seen) -> Vec<u64> {
    seen.calls.iter().map(|it| it.record.number).collect()
}

#[tokio::test]
async fn each_watcher_sees_the_calls_of_its_filter_and_how_many_more_there_were() {
    let all = Arc::new(Watchers::default());
    let [one, everything] = [of(1), Filter::default()].map(|it| all.add(&it, USER).unwrap());
    let records: Vec<_> = (0..130).map(|it| record((it % 2) as i64 + 1, it)).collect();
    show(&all, &records);
    let seen = one.next().await;
    assert_eq!(numbers(&seen), (0..100).step_by(2).collect::<Vec<_>>());
    assert_eq!(seen.surplus, 15);
    assert_eq!(seen.calls[0].worker, 7);
    assert!(
        seen.calls[0].record.address.ends_with(&[0; 10]),
        "the network only"
    );
    let seen = everything.next().await;
    assert_eq!((numbers(&seen), seen.surplus), ((0..50).collect(), 80));
    // Those that are read in the same second count too.
    show(&all, &[record(1, 200)]);
    let seen = everything.next().await;
    assert_eq!((seen.calls.len(), seen.surplus), (0, 1));
    let none = timeout(Duration::ZERO, everything.next()).await;
    assert!(none.is_err(), "nothing new");
}

#[tokio::test]
async fn a_watcher_that_does_not_read_keeps_few_and_another_filter_takes_effect_at_once() {
    let all = Arc::new(Watchers::default());
    let watcher = all.add(&Filter::default(), USER).unwrap();
    let records: Vec<_> = (0..30).map(|it| record((it % 3) as i64 + 1, it)).collect();
    show(&all, &records);
    watcher.watch(&of(2));
    let seen = watcher.next().await;
    assert_eq!(numbers(&seen), (1..30).step_by(3).collect::<Vec<_>>());
    for second in 0..10_u64 {
        lock(&watcher.watched.waiting).since -= SECOND;
        let records: Vec<_> = (0..40).map(|it| record(2, second * 40 + it)).collect();
        show(&all, &records);
    }
    let seen = watcher.next().await;
    assert_eq!((seen.calls.len(), seen.surplus), (50, 350));
}

#[test]
fn there_are_few_watchers_and_one_that_ends_makes_room() {
    let all = Arc::new(Watchers::default());
    let add = |user| all.add(&Filter::default(), UserId::from_raw(user));
    let mut own: Vec<_> = (0..WATCHERS_OF_USER_MAX).map(|_| add(1).unwrap()).collect();
    assert!(add(1).is_none(), "others may watch too");
    let others: Vec<_> = (0..WATCHERS_OF_USER_MAX).map(|_| add(2).unwrap()).collect();
    assert_eq!(own.len() + others.len(), WATCHERS_MAX);
    assert!(add(3).is_none());
    own.pop();
    assert!(add(3).is_some());
}
