use std::net::TcpListener;

use super::*;

/// Connects to the first of these addresses that is allowed and accepts; `forbidden` is not
/// allowed.
async fn connect_among(
    addresses: &[SocketAddr],
    forbidden: &[SocketAddr],
) -> Result<SocketAddr, NoConnection> {
    let rules = UpstreamRules {
        listeners: forbidden.to_vec(),
        ..UpstreamRules::default()
    };
    let stream = connect_first("back-end.test", addresses.iter().copied(), &rules).await?;
    Ok(stream.peer_addr().unwrap())
}

#[tokio::test]
async fn the_first_allowed_address_that_accepts_is_used() {
    let listen = || TcpListener::bind("127.0.0.1:0").unwrap();
    let listeners = [listen(), listen()];
    let [good, own] = listeners.each_ref().map(|it| it.local_addr().unwrap());
    let refusing = listen().local_addr().unwrap();
    for addresses in [
        &[own, good][..],
        &[refusing, good],
        &[own, refusing, good],
        &[good, own],
    ] {
        let connected = connect_among(addresses, &[own]).await;
        assert!(
            matches!(connected, Ok(address) if address == good),
            "{addresses:?}"
        );
    }
}

#[tokio::test]
async fn a_forbidden_address_is_reported_only_if_no_connection_was_tried() {
    let own = TcpListener::bind("127.0.0.1:0").unwrap();
    let refusing = TcpListener::bind("127.0.0.1:0").unwrap();
    let [own_address, refused] = [&own, &refusing].map(|it| it.local_addr().unwrap());
    drop(refusing);
    let only_own = connect_among(&[own_address], &[own_address]).await;
    assert!(matches!(only_own, Err(NoConnection::Forbidden(_))));
    for addresses in [[own_address, refused], [refused, own_address]] {
        let failed = connect_among(&addresses, &[own_address]).await;
        assert!(
            matches!(failed, Err(NoConnection::Connect(address, _)) if address == refused),
            "{addresses:?}"
        );
    }
    let none = connect_among(&[], &[own_address]).await;
    assert!(matches!(none, Err(NoConnection::Unresolved(_))));
    // No connection was accepted, not even briefly.
    own.set_nonblocking(true).unwrap();
    let waiting = own.accept().unwrap_err();
    assert_eq!(waiting.kind(), io::ErrorKind::WouldBlock);
}
