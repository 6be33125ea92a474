use std::net::TcpStream;

use super::*;

fn error<T>(result: io::Result<T>) -> Option<io::ErrorKind> {
    result.err().map(|error| error.kind())
}

#[test]
fn a_reserved_address_refuses_connections_and_nobody_else_can_have_it() {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let sockets = reserve(any, 2).unwrap();
    let address = sockets[0].local_addr().unwrap().as_socket().unwrap();
    let refused = Some(io::ErrorKind::ConnectionRefused);
    let taken = Some(io::ErrorKind::AddrInUse);
    assert_eq!(error(TcpStream::connect(address)), refused);
    assert_eq!(error(reserve(address, 1)), taken);
    let listeners: Vec<_> = sockets.into_iter().map(|it| listen(it).unwrap()).collect();
    let connections: Vec<_> = (0..8)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    assert_eq!(error(reserve(address, 1)), taken);

    // As after the process ends: connections linger while their other end is open.
    let accepted = listeners.iter().filter_map(|it| it.accept().ok());
    drop(accepted.collect::<Vec<_>>());
    drop(listeners);
    reserve(address, 2).unwrap();
    assert_eq!(error(TcpStream::connect(address)), refused);
    drop(connections);
}
