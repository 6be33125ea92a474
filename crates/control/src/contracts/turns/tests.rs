use std::time::Duration;

use tokio::time::timeout;

use super::*;

/// Maximum bytes of all readers together.
const ALL: usize = UNITS_MAX as usize * UNIT_BYTES;

/// Whether documents of `bytes` have to wait.
async fn waits(turns: &Turns, bytes: usize) -> bool {
    // `timeout` polls the future once, even if the time is over.
    timeout(Duration::ZERO, turns.charge(bytes)).await.is_err()
}

#[tokio::test]
async fn readers_share_the_bytes_of_their_documents() {
    let turns = Turns::new(2);
    let large = turns.charge(ALL - 2 * UNIT_BYTES).await;
    let small = turns.charge(UNIT_BYTES + 1).await;
    assert!(waits(&turns, 1).await);
    drop(small);
    assert!(!waits(&turns, 2 * UNIT_BYTES).await);
    assert!(waits(&turns, 2 * UNIT_BYTES + 1).await);
    drop(large);
    // More than the maximum is charged as the maximum, so that it does not wait forever.
    let all = turns.charge(usize::MAX).await;
    assert!(waits(&turns, 1).await);
    drop(all);
    assert!(!waits(&turns, ALL).await);
}
