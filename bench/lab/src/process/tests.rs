use super::*;

fn used(threads: [(&str, u64, u64); 2]) -> Used {
    threads
        .into_iter()
        .map(|(name, user_us, system_us)| Used {
            user_us,
            system_us,
            threads_us: [(name.to_owned(), user_us + system_us)].into(),
            threads_user_us: [(name.to_owned(), user_us)].into(),
            ..Used::default()
        })
        .fold(Used::default(), Used::plus)
}

#[test]
fn times_of_threads_are_the_increase_during_the_watch_summed_by_name() {
    let mut watch = Watch::begin(used([("worker", 100, 900), ("slow", 5, 5)]));
    watch.look(used([("worker", 400, 1_500), ("late", 30, 40)]));
    let used_us = watch.end(None, vec![0], &Used::default());
    assert_eq!((used_us.cpu_user_us, used_us.cpu_system_us), (325, 635));
    let expected = |rows: [(&str, u64); 2]| rows.map(|(name, us)| (name.to_owned(), us)).into();
    assert_eq!(
        used_us.threads_us,
        expected([("worker", 900), ("late", 70)])
    );
    assert_eq!(
        used_us.threads_user_us,
        expected([("worker", 300), ("late", 30)])
    );

    let twice = used([("nginx", 10, 20), ("nginx", 1, 2)]);
    assert_eq!(twice.threads_us, [("nginx".to_owned(), 33)].into());
    assert_eq!(twice.threads_user_us, [("nginx".to_owned(), 11)].into());
}
