use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::sync::oneshot;

use crate::connection::Broken;
use crate::deadline::Late;
use crate::relay::tests::run;

const REQUEST: &[u8] = b"GET /first HTTP/1.1\r\nHost: h\r\n\r\n";

#[test]
fn a_wait_ends_with_what_is_awaited_or_the_caller_or_the_deadline() {
    run(async |mut rig| {
        rig.receive(REQUEST).await;
        let (sender, mut awaited) = oneshot::channel();
        rig.server.deadline.set(Duration::from_secs(60));
        let (waited, sent) = tokio::join!(rig.server.wait_for(&mut awaited), async {
            tokio::task::yield_now().await;
            sender.send(7)
        });
        sent.expect("somebody waits");
        assert!(matches!(waited, Ok(Ok(7))), "{waited:?}");

        let (_sender, mut awaited) = oneshot::channel::<u32>();
        rig.ticking();
        rig.server.deadline.set(Duration::from_secs(3));
        let waited = rig.server.wait_for(&mut awaited).await;
        assert!(
            matches!(waited, Err(Broken::TimedOut(Late::Idle))),
            "{waited:?}"
        );
        // The head stays, and so does what is sent meanwhile.
        rig.caller.write_all(REQUEST).await.expect("sent");
        rig.server.deadline.set(Duration::from_secs(3));
        let waited = rig.server.wait_for(&mut awaited).await;
        assert!(matches!(waited, Err(Broken::TimedOut(_))), "{waited:?}");
        assert_eq!(rig.server.request().target(), b"/first");
        let idle = Duration::from_secs(60);
        rig.server
            .next(idle, idle, async || {})
            .await
            .expect("the next request");

        rig.caller.write_all(REQUEST).await.expect("sent");
        rig.server.deadline.set(Duration::from_secs(60));
        drop(rig.caller);
        let waited = rig.server.wait_for(&mut awaited).await;
        assert!(matches!(waited, Err(Broken::Io(_))), "{waited:?}");
    });
}
