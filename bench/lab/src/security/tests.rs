use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use rustls::HandshakeKind;

use super::*;
use crate::identity::{Identity, NAME};
use crate::stream::Stream;

/// Writes the files of a certificate for the test's address.
fn written(folder: &Path) {
    let identity = Identity::make(&[Ipv4Addr::LOCALHOST.into()]).unwrap();
    for (name, text) in [
        ("lab.crt", identity.certificate),
        ("lab.key", identity.key),
        ("ca.crt", identity.authority),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

fn client(folder: &Path, name: &str, resumes: bool) -> Security {
    let trusted = folder.join("ca.crt");
    let server_name = name.to_owned();
    let tls = Tls {
        server_name,
        trusted,
        resumes,
    };
    Security::from_tls(&tls).unwrap()
}

/// Sends `message` to a server with this configuration and back; returns the kind of handshake.
fn exchange(
    security: &Security,
    config: &Arc<ServerConfig>,
    message: &[u8],
) -> io::Result<HandshakeKind> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let socket = TcpStream::connect(listener.local_addr()?)?;
    let mut server = Stream::to_client(listener.accept()?.0, Some(config))?;
    server.socket().set_nonblocking(true)?;
    socket.set_nonblocking(true)?;
    let mut client = Stream::to_server(socket, Some(security))?;
    let mut buffer = vec![0; 60_000];
    while client.opens()?.is_some() {
        pass(server.read(&mut buffer, true).map(drop))?;
        pass(server.flush())?;
    }
    let [mut there, mut back] = [Vec::new(), Vec::new()];
    assert_eq!(client.write(message)?, message.len());
    while there.len() < message.len() {
        pass(client.flush())?;
        let read = server.read(&mut buffer, true);
        pass(read.map(|count| there.extend_from_slice(&buffer[..count])))?;
    }
    assert_eq!(server.write(&there)?, message.len());
    while back.len() < message.len() {
        pass(server.flush())?;
        let read = client.read(&mut buffer, true);
        pass(read.map(|count| back.extend_from_slice(&buffer[..count])))?;
    }
    assert!(back == message, "it comes back unchanged");
    client.end();
    // Handshake messages to the server may arrive before the end.
    while let Err(error) = server.read(&mut buffer, true) {
        pass(Err(error))?;
    }
    Ok(client.handshake().unwrap())
}

/// Ignores `WouldBlock`.
fn pass(went: io::Result<()>) -> io::Result<()> {
    match went {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
        other => other,
    }
}

#[test]
fn bytes_arrive_complete_and_tickets_resume_sessions_if_configured() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let [certificate, key] = ["lab.crt", "lab.key"].map(|name| folder.path().join(name));
    let config = server(&certificate, &key).unwrap();
    // More than a record, and more than a buffer.
    let message: Vec<u8> = (0..200_000_u32).map(|at| (at % 251) as u8).collect();
    for name in [NAME, "127.0.0.1"] {
        let full = client(folder.path(), name, false);
        let resuming = client(folder.path(), name, true);
        for _ in 0..2 {
            let kind = exchange(&full, &config, &message).unwrap();
            assert_eq!(kind, HandshakeKind::Full);
        }
        let kinds = [0, 1, 2].map(|_| exchange(&resuming, &config, b"short").unwrap());
        let (full, resumed) = (HandshakeKind::Full, HandshakeKind::Resumed);
        assert_eq!(kinds, [full, resumed, resumed]);
    }
    let other = client(folder.path(), "elsewhere.test", false);
    let refused = exchange(&other, &config, b"short").unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
}

#[test]
fn invalid_files_of_certificates_and_keys_are_named() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("empty"), "").unwrap();
    for (certificate, key, why) in [
        ("empty", "lab.key", "contains no certificate"),
        ("lab.crt", "empty", "empty contains no private key"),
        ("absent", "lab.key", "cannot read"),
    ] {
        let refused = server(&path(certificate), &path(key)).unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
}
