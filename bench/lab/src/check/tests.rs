use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use super::*;

/// A gateway that lets everything through as it came, and logs nothing.
struct Open;

impl Side for Open {
    fn name(&self) -> String {
        "open".to_owned()
    }

    fn start(&mut self, upstream: SocketAddr, _: u64) -> anyhow::Result<Started> {
        Ok(started(upstream))
    }

    fn has_logged(&mut self, _: &Made) -> anyhow::Result<bool> {
        Ok(false)
    }
}

/// A gateway that refuses everything with the same status.
struct Shut(&'static str);

impl Side for Shut {
    fn name(&self) -> String {
        "shut".to_owned()
    }

    fn start(&mut self, _: SocketAddr, _: u64) -> anyhow::Result<Started> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let answer = format!(
            "HTTP/1.1 {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            self.0
        );
        thread::spawn(move || {
            for mut connection in listener.incoming().map_while(Result::ok) {
                let mut head = [0; 1024];
                assert!(connection.read(&mut head).is_ok_and(|read| read > 0));
                connection.write_all(answer.as_bytes()).unwrap();
            }
        });
        Ok(started(address))
    }

    fn has_logged(&mut self, _: &Made) -> anyhow::Result<bool> {
        Ok(true)
    }
}

fn started(address: SocketAddr) -> Started {
    Started {
        address,
        request: Sent {
            target: "/small".to_owned(),
            headers: vec![("apikey".to_owned(), "{value}".to_owned())],
        },
        keys: ["one", "two", "three"].map(str::to_owned).to_vec(),
    }
}

/// The questions that a side fails.
fn failed(side: impl Side + 'static) -> Vec<&'static str> {
    let checked = all(&mut [Box::new(side)]).unwrap();
    let faults = checked[0].faults.iter();
    faults
        .filter(|(_, fault)| fault.is_some())
        .map(|(question, _)| *question)
        .collect()
}

#[test]
fn a_gateway_that_lets_everything_through_fails_all_but_the_right_key() {
    assert_eq!(
        failed(Open),
        [
            "wrong key",
            "no key",
            "key kept",
            "limit",
            "request id",
            "log"
        ]
    );
}

#[test]
fn a_gateway_that_refuses_everything_fails_what_should_pass() {
    let unauthorized = failed(Shut("401 Unauthorized"));
    assert_eq!(
        unauthorized,
        ["right key", "limit", "others", "request id", "log"]
    );
    // A refusal must be the caller's fault, not the gateway's.
    let broken = failed(Shut("502 Bad Gateway"));
    assert_eq!(broken[..3], ["right key", "wrong key", "no key"]);
}

#[test]
fn the_table_has_a_row_for_each_side_and_a_sentence_for_each_fault() {
    let checked = all(&mut [Box::new(Open)]).unwrap();
    assert!(!checked[0].is_fine());
    let table = table(&checked);
    let row = table.lines().nth(1).unwrap();
    let words: Vec<_> = row.split_whitespace().collect();
    assert_eq!(
        words,
        [
            "open", "ok", "FAILS", "FAILS", "FAILS", "FAILS", "ok", "FAILS", "FAILS"
        ]
    );
    let limit = "open, limit: of 20 calls at a limit of 10, 20 passed and 0 got 429";
    assert!(table.lines().any(|line| line == limit), "{table}");
}

#[test]
fn nginx_secured_does_the_work_where_it_is_installed() {
    let bench = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let Rivals {
        mut sides,
        left_out,
    } = rivals(bench, &["nginx-secured".to_owned()]).unwrap();
    if sides.is_empty() {
        println!("skipped: {}", left_out.join(", "));
        return;
    }
    let checked = all(&mut sides).unwrap();
    assert!(checked[0].is_fine(), "{}", table(&checked));
}

#[test]
fn a_rival_that_nobody_knows_is_named() {
    let bench = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let error = rivals(bench, &["ngnix".to_owned()])
        .err()
        .unwrap()
        .to_string();
    assert_eq!(error, "there is no secured rival \"ngnix\"");
}
