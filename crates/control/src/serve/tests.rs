use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;

use super::*;

#[tokio::test]
async fn a_stop_lets_the_request_under_way_end_and_closes_idle_connections() {
    let (entered, has_entered) = oneshot::channel();
    let entered = Arc::new(std::sync::Mutex::new(Some(entered)));
    let slow = move || async move {
        let entered = entered.lock().unwrap().take().unwrap();
        entered.send(()).unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        "done"
    };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let router = Router::new().route("/", get(slow));
    let served = tokio::spawn(serve(listener, router, async { stopped.await.unwrap() }));

    let mut idle = TcpStream::connect(address).await.unwrap();
    let mut busy = TcpStream::connect(address).await.unwrap();
    busy.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    has_entered.await.unwrap();
    stop.send(()).unwrap();
    let mut answer = String::new();
    busy.read_to_string(&mut answer).await.unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.ends_with("done"),
        "{answer}"
    );
    idle.read_to_string(&mut answer).await.unwrap();
    served.await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}
