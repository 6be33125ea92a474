use super::*;

#[test]
fn times_are_found_behind_a_name_with_spaces_and_parentheses() {
    let text = "7 (a (b) c) R 1 7 7 0 -1 64 9 0 0 0 431 1062 0 0 20 0 4 0 90 8192 25 0\n";
    let stat = Stat::parse(text).unwrap();
    assert_eq!(stat.name, "a (b) c");
    assert_eq!(
        [1, 11, 12, 21].map(|at| stat.number(at)),
        [1, 431, 1_062, 25]
    );
}

#[test]
fn the_threads_of_this_process_are_found_by_name_with_their_user_time() {
    let spinning = thread::Builder::new().name("spinning".to_owned());
    let (stop, stopped) = sync_channel::<()>(0);
    let spinning = spinning.spawn(move || {
        while matches!(
            stopped.try_recv(),
            Err(std::sync::mpsc::TryRecvError::Empty)
        ) {
            std::hint::spin_loop();
        }
    });
    let deadline = Instant::now() + std::time::Duration::from_secs(60);
    let mut times = None;
    while Instant::now() < deadline && times.is_none() {
        let used = used(std::process::id());
        let [all, user] = [&used.threads_us, &used.threads_user_us].map(|it| it.get("spinning"));
        times = all
            .copied()
            .zip(user.copied())
            .filter(|(_, user_us)| *user_us > 0);
        thread::sleep(ASK);
    }
    drop(stop);
    spinning.unwrap().join().unwrap();
    let (all_us, user_us) = times.expect("user time within a minute");
    assert!(user_us <= all_us, "{user_us} of {all_us}");
}
