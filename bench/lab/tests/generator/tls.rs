//! TLS: only the right certificate is trusted; and connections that are renewed.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use rcgen::{CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tollgate_lab::load::{Load, Tls};

use crate::process::{SECOND_US, file, load, run, users};
use crate::server::{Server, answer};

/// Size of the response body: more than a TLS record.
const BODY_BYTES: usize = 100_000;

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority")
}

/// Starts a server for the name `gateway.test` with the same response to all requests.
fn serve(authority: &Authority) -> SocketAddr {
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec!["gateway.test".to_owned()]).expect("a name");
    let certificate = params.signed_by(&key, authority).expect("a certificate");
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    let config = ServerConfig::builder_with_provider(aws_lc_rs::default_provider().into())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key);
    let config = Arc::new(config.expect("a configuration"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for socket in listener.incoming() {
            let config = Arc::clone(&config);
            thread::spawn(move || {
                let session = ServerConnection::new(config).expect("a session");
                answer_all(StreamOwned::new(session, socket.expect("a client")));
            });
        }
    });
    address
}

/// Answers requests without bodies until the client disconnects.
fn answer_all(mut stream: StreamOwned<ServerConnection, std::net::TcpStream>) -> Option<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {BODY_BYTES}\r\n\r\n");
    let answer = [head.as_bytes(), &[b'x'; BODY_BYTES]].concat();
    let mut input = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).ok().filter(|count| *count > 0)?;
        input.extend_from_slice(&piece[..count]);
        while let Some(end) = input.windows(4).position(|four| four == b"\r\n\r\n") {
            input.drain(..end + 4);
            stream.write_all(&answer).ok()?;
        }
    }
}

fn secure(address: SocketAddr, folder: &Path, trusted: &Authority, name: &str) -> Load {
    let mut load = load(address, "/");
    let trusted = file(folder, "trusted.pem", trusted.pem());
    load.tls = Some(Tls {
        server_name: name.to_owned(),
        trusted,
        resumes: false,
    });
    load.expect.body_bytes = Some(BODY_BYTES as u64);
    load.pace = users(3);
    load.requests_max = 30;
    load
}

#[test]
fn a_server_with_the_right_certificate_is_loaded() {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = authority();
    let mut load = secure(serve(&authority), folder.path(), &authority, "gateway.test");
    load.measured_us = 60 * SECOND_US;
    let outcome = run(&load);
    assert_eq!(
        (outcome.successes, outcome.error_count()),
        (30, 0),
        "{:?}",
        outcome.errors
    );
}

#[test]
fn renewed_connections_use_full_handshakes_or_resume_as_configured() {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = authority();
    let address = serve(&authority);
    for resumes in [false, true] {
        let mut load = secure(address, folder.path(), &authority, "gateway.test");
        load.renews = true;
        load.measured_us = 60 * SECOND_US;
        load.tls.as_mut().expect("it is set").resumes = resumes;
        let outcome = run(&load);
        assert_eq!(outcome.successes, 30, "{:?}", outcome.errors);
        let (full, resumed) = (outcome.handshakes_full, outcome.handshakes_resumed);
        // The first connection of each user is opened before the measured time.
        let (expected, others) = if resumes {
            (resumed, full)
        } else {
            (full, resumed)
        };
        assert!(
            expected >= 27 && others == 0,
            "{full} full, {resumed} resumed"
        );
    }
}

#[test]
fn renewed_connections_have_one_request_each() {
    let server = Server::start(|_| answer("hello"));
    for renews in [false, true] {
        let mut load = load(server.address, "/");
        load.renews = renews;
        load.requests_max = 20;
        let before = server.received().len();
        let outcome = run(&load);
        assert_eq!((outcome.successes, outcome.error_count()), (20, 0));
        let callers: BTreeSet<_> = server.received()[before..]
            .iter()
            .map(|it| it.from)
            .collect();
        assert_eq!(callers.len(), if renews { 20 } else { 1 });
    }
}

#[test]
fn a_wrong_certificate_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let (right, wrong) = (authority(), authority());
    let address = serve(&right);
    for (trusted, name) in [(&wrong, "gateway.test"), (&right, "elsewhere.test")] {
        let outcome = run(&secure(address, folder.path(), trusted, name));
        assert_eq!((outcome.successes, outcome.sent_all), (0, 0), "{name}");
        let names: Vec<&String> = outcome.errors.keys().collect();
        assert_eq!(names, ["connect"], "{name}");
    }
}
