//! Protocols of the listeners, tested with OpenSSL's client, and with hand-made ClientHellos.

use std::io::Write as _;
use std::net::SocketAddr;
use std::process::{Command, Output, Stdio};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tollgate_testkit::tls::Authority;

use super::secured;

/// Makes a handshake with OpenSSL's client, which offers everything that it supports.
fn s_client(address: SocketAddr, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new("timeout")
        .args([
            "10",
            "openssl",
            "s_client",
            "-connect",
            &address.to_string(),
        ])
        .args(["-servername", "localhost", "-cipher", "ALL:@SECLEVEL=0"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn has_session(output: &Output) -> bool {
    let printed = String::from_utf8_lossy(&output.stdout);
    printed.contains("Cipher is ") && !printed.contains("Cipher is (NONE)")
}

#[tokio::test]
async fn old_versions_and_weak_suites_get_no_session() {
    let tollgate = secured().start().unwrap();
    let both = [
        tollgate.https.gateway.unwrap(),
        tollgate.https.control.unwrap(),
    ];
    for address in both {
        for good in [
            &["-tls1_2"][..],
            &["-tls1_3"],
            &["-groups", "P-256"],
            &["-groups", "X25519"],
        ] {
            let output = s_client(address, good, "");
            assert!(has_session(&output), "{good:?}: {output:?}");
        }
        for bad in [
            &["-tls1"][..],
            &["-tls1_1"],
            &["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0"],
            &[
                "-tls1_2",
                "-cipher",
                "ECDHE-ECDSA-AES256-SHA384:@SECLEVEL=0",
            ],
            &["-tls1_3", "-groups", "X448"],
        ] {
            let output = s_client(address, bad, "");
            assert!(!has_session(&output), "{bad:?}");
        }
        for (offered, spoken) in [
            ("h2,http/1.1", "http/1.1"),
            ("http/1.0,http/1.1", "http/1.1"),
            ("http/1.0", "http/1.0"),
        ] {
            let output = s_client(address, &["-alpn", offered], "");
            let printed = String::from_utf8_lossy(&output.stdout);
            let expected = format!("ALPN protocol: {spoken}");
            assert!(printed.contains(&expected), "{printed}");
        }
        // "R" requests a renegotiation.
        let output = s_client(address, &["-tls1_2"], "R\n");
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(
            has_session(&output) && printed.contains("renegotiation"),
            "{printed}"
        );
    }
}

/// The client of the test above supports TLS 1.0: it reaches a server of OpenSSL's own.
#[tokio::test]
async fn openssl_reaches_a_server_with_tls_1_0() {
    let folder = tempfile::tempdir().unwrap();
    let pair = Authority::new()
        .unwrap()
        .certify(&["localhost"], 2040)
        .unwrap();
    let (certificate, key) = (folder.path().join("a.crt"), folder.path().join("a.key"));
    std::fs::write(&certificate, pair.certificate).unwrap();
    std::fs::write(&key, pair.key).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let mut server = Command::new("openssl")
        .args(["s_server", "-quiet", "-tls1", "-cipher", "ALL:@SECLEVEL=0"])
        .args(["-accept", &format!("127.0.0.1:{port}")])
        .arg("-cert")
        .arg(&certificate)
        .arg("-key")
        .arg(&key)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    while TcpStream::connect(address).await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let output = s_client(address, &["-tls1"], "");
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(has_session(&output), "{output:?}");
}

/// Returns a ClientHello of TLS 1.2 that offers one suite (RFC 5246, section 7.4.1.2).
fn hello(suite: u16) -> Vec<u8> {
    let groups = [0, 10, 0, 6, 0, 4, 0, 29, 0, 23];
    let formats = [0, 11, 0, 2, 1, 0];
    let signatures = [0, 13, 0, 8, 0, 6, 4, 3, 8, 4, 4, 1];
    let extensions = [&groups[..], &formats, &signatures].concat();
    let length = u16::try_from(extensions.len()).unwrap().to_be_bytes();
    let mut body = vec![3, 3];
    body.extend([7; 32]);
    body.push(0);
    body.extend([0, 2]);
    body.extend(suite.to_be_bytes());
    body.extend([1, 0]);
    body.extend(length);
    body.extend(extensions);
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    let message = [&[1], &length[1..], &body].concat();
    let length = u16::try_from(message.len()).unwrap().to_be_bytes();
    [&[22, 3, 1], &length[..], &message].concat()
}

#[tokio::test]
async fn a_hello_for_rc4_or_3des_is_answered_with_an_alert() {
    let tollgate = secured().start().unwrap();
    let address = tollgate.https.gateway.unwrap();
    let ask = async |suite| {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&hello(suite)).await.unwrap();
        let mut kind = [0];
        stream.read_exact(&mut kind).await.unwrap();
        kind[0]
    };
    // TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 gets a ServerHello: the ClientHello is valid.
    assert_eq!(ask(0xc02b).await, 22);
    // RSA and ECDHE with RC4, 3DES, CBC with SHA-1.
    for suite in [0x0005, 0xc007, 0x000a, 0xc008, 0xc009, 0x002f, 0x009c] {
        assert_eq!(ask(suite).await, 21, "{}", json!(suite));
    }
}
