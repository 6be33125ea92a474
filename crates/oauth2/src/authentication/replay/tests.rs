use tollgate_model::id::Id;

use super::*;

const ONE: i64 = 1;
const OTHER: i64 = 2;

fn first(
    replay: &Replay,
    client: i64,
    id: u8,
    (until_us, now_us): (i64, i64),
) -> Result<bool, Full> {
    replay.first_time(Id::from_raw(client), [id; 32], until_us, now_us)
}

#[test]
fn an_assertion_is_valid_once_per_client_until_it_expires() {
    let replay = Replay::bounded(10, 10, 1);
    assert_eq!(first(&replay, ONE, 1, (100, 0)), Ok(true));
    assert_eq!(first(&replay, ONE, 1, (100, 99)), Ok(false));
    assert_eq!(first(&replay, OTHER, 1, (100, 0)), Ok(true));
    replay.sweep(99);
    assert_eq!(first(&replay, ONE, 1, (100, 99)), Ok(false));
    replay.sweep(100);
    assert_eq!(first(&replay, ONE, 1, (200, 100)), Ok(true));
}

#[test]
fn the_memory_is_bounded_for_all_and_for_each_client() {
    let replay = Replay::bounded(3, 2, 0);
    assert_eq!(first(&replay, ONE, 1, (100, 0)), Ok(true));
    assert_eq!(first(&replay, ONE, 2, (200, 0)), Ok(true));
    assert_eq!(first(&replay, ONE, 3, (200, 0)), Err(Full));
    assert_eq!(first(&replay, OTHER, 1, (200, 0)), Ok(true));
    assert_eq!(first(&replay, OTHER, 2, (200, 0)), Err(Full));
    assert_eq!(
        first(&replay, OTHER, 2, (200, 100)),
        Ok(true),
        "one has expired"
    );
}

#[test]
fn clients_that_fill_the_memory_do_not_block_others() {
    let replay = Replay::bounded(4, 3, 2);
    for (client, id) in [(ONE, 1), (ONE, 2), (ONE, 3), (OTHER, 1), (OTHER, 2)] {
        assert_eq!(first(&replay, client, id, (100, 0)), Ok(true), "{id}");
    }
    assert_eq!(first(&replay, OTHER, 3, (100, 0)), Err(Full));
    let late = OTHER + 1;
    assert_eq!(first(&replay, late, 1, (100, 0)), Ok(true));
    assert_eq!(first(&replay, late, 1, (100, 0)), Ok(false));
    assert_eq!(first(&replay, late, 2, (100, 0)), Ok(true));
    assert_eq!(first(&replay, late, 3, (100, 0)), Err(Full));
}
