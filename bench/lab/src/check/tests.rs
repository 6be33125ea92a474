use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::thread;
use std::time::Duration;

use super::ask::until_calm;
use super::*;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A gateway that forwards everything unchanged, and logs nothing.
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

/// A gateway that rejects everything with the same status.
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
    let sent = Sent {
        target: "/small".to_owned(),
        headers: vec![("apikey".to_owned(), "{value}".to_owned())],
    };
    Started {
        address,
        request: sent.clone(),
        post: sent,
        keys: ["one", "two", "three"].map(str::to_owned).to_vec(),
    }
}

/// Returns the checks that a side fails.
fn failed(side: impl Side + 'static) -> Vec<&'static str> {
    let checked = all(vec![Box::new(side)], HERE, |_| Ok(())).unwrap();
    let faults = checked[0].faults.iter();
    faults
        .filter(|(_, fault)| fault.is_some())
        .map(|(check, _)| *check)
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
        ["right key", "post", "limit", "others", "request id", "log"]
    );
    // A rejection must be a 4xx, not an error of the gateway.
    let broken = failed(Shut("502 Bad Gateway"));
    assert_eq!(broken[..3], ["right key", "wrong key", "no key"]);
}

#[test]
fn the_table_has_a_row_for_each_side_and_a_sentence_for_each_fault() {
    let checked = all(vec![Box::new(Open)], HERE, |_| Ok(())).unwrap();
    assert!(!checked[0].is_fine());
    let table = table(&checked);
    let row = table.lines().nth(1).unwrap();
    let words: Vec<_> = row.split_whitespace().collect();
    assert_eq!(
        words,
        [
            "open", "ok", "FAILS", "FAILS", "FAILS", "ok", "FAILS", "ok", "FAILS", "FAILS"
        ]
    );
    let limit = "open, limit: of 20 calls at a limit of 10, 20 were admitted and 0 got 429";
    assert!(table.lines().any(|line| line == limit), "{table}");
}

#[test]
fn nginx_secured_does_the_work_where_it_is_installed() {
    let Found { sides, left_out } = find_one("nginx-secured").unwrap();
    if sides.is_empty() {
        println!("skipped: {}", left_out.join(", "));
        return;
    }
    let checked = all(sides, HERE, |_| Ok(())).unwrap();
    assert!(checked[0].is_fine(), "{}", table(&checked));
}

#[test]
fn an_unknown_rival_is_named() {
    let error = find_one("ngnix").err().unwrap().to_string();
    assert_eq!(error, "no secured rival is named \"ngnix\"");
}

#[test]
fn tollgate_is_left_out_if_it_is_not_built() {
    let Found { sides, left_out } = find_one("tollgate").unwrap();
    assert!(sides.is_empty());
    let expected = "tollgate: nowhere/tollgate does not exist: run `cargo build --release";
    assert!(left_out[0].starts_with(expected), "{left_out:?}");
}

#[test]
fn concurrent_calls_wait_if_a_minute_starts_soon() {
    let at = |seconds: f64| until_calm(Duration::from_secs_f64(seconds)).as_secs_f64();
    // A minute starts at 1,700,000,040.
    assert_eq!(at(1_700_000_040.0), 0.0);
    assert_eq!(at(1_700_000_094.5), 0.0);
    assert_eq!(at(1_700_000_095.5), 4.5);
    assert_eq!(at(1_700_000_099.75), 0.25);
}

fn find_one(name: &str) -> anyhow::Result<Found> {
    let bench = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    find(bench, &[name.to_owned()], Path::new("nowhere/tollgate"))
}
