use std::future::poll_fn;
use std::io::{Read as _, Write as _};
use std::time::Duration;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::ResolvesServerCertUsingSni;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tokio::net::TcpListener;
use tollgate_fetch::tls;

use super::*;

/// A certificate for `localhost`, ready for both sides.
fn configs() -> (Arc<ServerConfig>, Arc<ClientConfig>) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let chain = vec![cert.der().clone()];
    let certified = rustls::sign::CertifiedKey::from_der(chain, key, &tls::provider()).unwrap();
    let mut resolver = ResolvesServerCertUsingSni::new();
    resolver.add("localhost", certified).unwrap();
    let server = tls::server(Arc::new(resolver)).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    (Arc::new(server), Arc::new(tls::client(Arc::new(roots))))
}

type Peer = StreamOwned<ClientConnection, std::net::TcpStream>;

/// A caller's stream, and the caller: a rustls client on its own thread.
async fn accept<R: Send + 'static>(
    client: impl FnOnce(Peer) -> R + Send + 'static,
) -> (CallerStream, std::thread::JoinHandle<R>) {
    let (server, config) = configs();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let client = std::thread::spawn(move || {
        let name = tls::server_name("localhost").unwrap();
        let session = ClientConnection::new(config, name).unwrap();
        let tcp = std::net::TcpStream::connect(address).unwrap();
        client(StreamOwned::new(session, tcp))
    });
    let (stream, _) = listener.accept().await.unwrap();
    let stream = CallerStream::accept(stream, &server, &Rc::default()).await;
    (stream.unwrap(), client)
}

async fn read(stream: &mut impl Socket, room: &mut [u8]) -> io::Result<usize> {
    poll_fn(|context| stream.poll_read(context, room)).await
}

async fn write_all(stream: &mut impl Socket, mut first: &[u8], mut second: &[u8]) -> usize {
    let mut writes = 0;
    while !(first.is_empty() && second.is_empty()) {
        let count = poll_fn(|context| stream.poll_write(context, first, second));
        let count = count.await.unwrap();
        let of_first = count.min(first.len());
        first = &first[of_first..];
        second = &second[count - of_first..];
        writes += 1;
    }
    writes
}

fn run(test: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().unwrap();
    let bounded = async { tokio::time::timeout(Duration::from_secs(30), test).await };
    runtime.block_on(bounded).expect("the test ends in time");
}

fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at * 7 + at / 251) as u8).collect()
}

#[test]
fn written_data_is_sent_even_to_a_slow_reader() {
    run(async {
        const BYTES: usize = 8 << 20;
        let (head, body) = (pattern(300), pattern(BYTES));
        let whole = [head.clone(), body.clone()].concat();
        let (mut stream, client) = accept(|mut peer| {
            let mut got = Vec::new();
            let mut room = vec![0; 100_000];
            loop {
                std::thread::sleep(Duration::from_millis(2));
                match peer.read(&mut room) {
                    Ok(0) => return got,
                    Ok(count) => got.extend_from_slice(&room[..count]),
                    Err(error) => panic!("{error} after {} bytes", got.len()),
                }
            }
        })
        .await;
        write_all(&mut stream, &head, &body).await;
        // There is no flush: everything reported as written was sent. The stream ends with
        // close_notify.
        poll_fn(|context| stream.poll_finish(context))
            .await
            .unwrap();
        drop(stream);
        assert!(client.join().unwrap() == whole);
    });
}

#[test]
fn an_idle_session_is_readable_once_something_arrives() {
    run(async {
        let (go_on, may_go_on) = std::sync::mpsc::sync_channel::<()>(1);
        let (mut stream, client) = accept(move |mut peer| {
            peer.conn.complete_io(&mut peer.sock).unwrap();
            may_go_on.recv().unwrap();
            peer.write_all(b"hello").unwrap();
        })
        .await;
        let is_readable = poll_fn(|context| Poll::Ready(stream.poll_readable(context).is_ready()));
        assert!(!is_readable.await);
        go_on.send(()).unwrap();
        poll_fn(|context| stream.poll_readable(context))
            .await
            .unwrap();
        let mut room = [0; 5];
        assert_eq!(read(&mut stream, &mut room).await.unwrap(), room.len());
        client.join().unwrap();
    });
}

#[test]
fn a_large_body_is_not_read_in_small_steps() {
    run(async {
        let body = pattern(100 * 1024);
        let (mut stream, client) = accept({
            let body = body.clone();
            move |mut peer| {
                peer.write_all(&body).unwrap();
                peer
            }
        })
        .await;
        let _peer = client.join().unwrap();
        let (mut got, mut reads) = (Vec::new(), 0);
        let mut room = vec![0; 64 * 1024];
        while got.len() < body.len() {
            let count = read(&mut stream, &mut room).await.unwrap();
            got.extend_from_slice(&room[..count]);
            reads += 1;
        }
        assert!(got == body);
        assert!(reads <= 5, "{reads} reads");
    });
}

#[test]
fn little_room_loses_nothing() {
    run(async {
        let body = pattern(50_000);
        let (mut stream, client) = accept({
            let body = body.clone();
            move |mut peer| {
                peer.write_all(&body).unwrap();
                peer
            }
        })
        .await;
        let mut got = Vec::new();
        for room in (1..).map(|count| count % 97 + 1) {
            let mut room = vec![0; room];
            let count = read(&mut stream, &mut room).await.unwrap();
            got.extend_from_slice(&room[..count]);
            if got.len() == body.len() {
                break;
            }
        }
        assert!(got == body);
        drop(client.join().unwrap());
    });
}

/// An upstream's stream, and the upstream: a rustls server on its own thread.
async fn connect<R: Send + 'static>(
    server: impl FnOnce(StreamOwned<rustls::ServerConnection, std::net::TcpStream>) -> R
    + Send
    + 'static,
) -> (UpstreamStream, std::thread::JoinHandle<R>) {
    let (config, client) = configs();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (tcp, _) = listener.accept().unwrap();
        let session = rustls::ServerConnection::new(config).unwrap();
        server(StreamOwned::new(session, tcp))
    });
    let tls = UpstreamTls {
        config: client,
        name: tls::server_name("localhost").unwrap(),
    };
    let stream = TcpStream::connect(address).await.unwrap();
    let stream = UpstreamStream::connect(stream, &tls, &Rc::default()).await;
    (stream.unwrap(), server)
}

#[test]
fn a_late_ticket_does_not_make_a_connection_stale_but_data_or_an_end_does() {
    for tail in [b"x".as_slice(), b""] {
        run(async {
            let (go_on, may_go_on) = std::sync::mpsc::sync_channel::<()>(1);
            let (mut stream, server) = connect(move |mut peer| {
                // The end of the handshake and the tickets are sent only now.
                let mut room = [0; 4];
                peer.read_exact(&mut room).unwrap();
                peer.write_all(b"answer").unwrap();
                may_go_on.recv().unwrap();
                if tail.is_empty() {
                    peer.conn.send_close_notify();
                }
                peer.write_all(tail).unwrap();
                peer.flush().unwrap();
                peer
            })
            .await;
            write_all(&mut stream, b"call", b"").await;
            let mut room = [0; 64];
            let count = read(&mut stream, &mut room).await.unwrap();
            assert_eq!(&room[..count], b"answer");
            tokio::time::sleep(Duration::from_millis(20)).await;
            assert!(!stream.is_stale(), "a ticket does not make it stale");
            go_on.send(()).unwrap();
            let _peer = server.join().unwrap();
            while !stream.is_stale() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
    }
}

#[test]
fn an_end_without_close_notify_is_a_cut() {
    run(async {
        let (mut stream, server) = connect(|mut peer| {
            peer.write_all(b"half").unwrap();
            // No close_notify.
            peer.sock.shutdown(std::net::Shutdown::Both).unwrap();
        })
        .await;
        server.join().unwrap();
        let mut room = [0; 64];
        assert_eq!(read(&mut stream, &mut room).await.unwrap(), 4);
        let error = read(&mut stream, &mut room).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    });
}

#[test]
fn plain_text_and_a_fragmented_hello_are_distinguished() {
    run(async {
        let (server, config) = configs();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let plain = std::thread::spawn(move || {
            let mut tcp = std::net::TcpStream::connect(address).unwrap();
            tcp.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
            let mut alert = Vec::new();
            tcp.read_to_end(&mut alert).unwrap();
            alert
        });
        let (stream, _) = listener.accept().await.unwrap();
        let refused = CallerStream::accept(stream, &server, &Rc::default()).await;
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::InvalidData);
        // A fatal alert.
        assert_eq!(plain.join().unwrap()[0], 21);

        let pieces = std::thread::spawn(move || {
            let name = tls::server_name("localhost").unwrap();
            let mut session = ClientConnection::new(config, name).unwrap();
            let mut tcp = std::net::TcpStream::connect(address).unwrap();
            tcp.set_nodelay(true).unwrap();
            let mut hello = Vec::new();
            session.write_tls(&mut hello).unwrap();
            // The message is split into several records, and these are sent byte by byte.
            for piece in hello[5..].chunks((hello.len() - 5).div_ceil(40)) {
                let length = u16::try_from(piece.len()).unwrap().to_be_bytes();
                let record = [&[22, 3, 1], &length[..], piece].concat();
                for byte in record {
                    tcp.write_all(&[byte]).unwrap();
                }
            }
            let mut stream = StreamOwned::new(session, tcp);
            stream.write_all(b"call").unwrap();
            stream
        });
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = CallerStream::accept(stream, &server, &Rc::default())
            .await
            .unwrap();
        let mut room = [0; 64];
        assert_eq!(read(&mut stream, &mut room).await.unwrap(), 4);
        drop(pieces.join().unwrap());
    });
}

/// Mutates a hello: changes, drops, repeats or truncates bytes; then possibly splits it into
/// records anew.
fn bent(hello: &[u8], random: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let mut bytes = hello.to_vec();
    for _ in 0..random(4) {
        let at = random(bytes.len());
        match random(5) {
            0 => bytes[at] ^= 1 << random(8),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, random(256) as u8),
            3 => bytes.truncate(at.max(1)),
            _ => bytes.extend_from_within(at..),
        }
    }
    if random(2) == 0 || bytes.len() < 6 {
        return bytes;
    }
    let size = random(200) + 1;
    let mut records = Vec::new();
    for piece in bytes[5..].chunks(size) {
        let kind = if random(20) == 0 {
            20 + random(5) as u8
        } else {
            22
        };
        records.extend([kind, 3, 1]);
        records.extend(u16::try_from(piece.len()).unwrap().to_be_bytes());
        records.extend(piece);
    }
    records
}

#[test]
fn a_mutated_hello_causes_at_most_an_error() {
    let (server, config) = configs();
    let mut state = 7_u64;
    let mut random = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        for _ in 0..2_000 {
            let name = tls::server_name("localhost").unwrap();
            let mut session = ClientConnection::new(Arc::clone(&config), name).unwrap();
            let mut hello = Vec::new();
            session.write_tls(&mut hello).unwrap();
            let hello = bent(&hello, &mut random);
            let (caller, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
            let (caller, (stream, _)) = (caller.unwrap(), accepted.unwrap());
            caller.writable().await.unwrap();
            assert_eq!(caller.try_write(&hello).unwrap(), hello.len());
            let mut caller = caller.into_std().unwrap();
            caller.shutdown(std::net::Shutdown::Write).unwrap();
            let accepted = CallerStream::accept(stream, &server, &Rc::default()).await;
            assert!(accepted.is_err(), "the handshake never finished");
            drop(accepted);
            caller.set_nonblocking(false).unwrap();
            // Either it gets an alert, or the connection is closed; nothing stays open.
            let _ = caller.read_to_end(&mut Vec::new());
        }
    });
}
