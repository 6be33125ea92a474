use super::figures::Figures;
use super::profile::Profile;
use super::toolchain::Toolchain;
use super::*;

const COUNT: &str = "\
# callgrind format
version: 1
part: 2
thread: 2

positions: line
events: Ir
summary: 1000

ob=(1) /usr/bin/program
fl=(1) /home/crates/gateway/src/request.rs
fn=(1) tollgate_gateway::request::answer::{{closure}}
16 5
+3 4
cfi=(2) /home/crates/http1/src/parse.rs
cfn=(2) tollgate_http1::parse::request
calls=30 12
* 500
fi=(3) /rustc/library/core/src/slice/mod.rs
100 7
fe=(1)
* 1

fl=(2)
fn=(2)
12 300
cob=(2) /lib/libc.so.6
cfi=(4) ???
cfn=(3) __memcpy_avx_unaligned
calls=2 0
-2 20

ob=(2)
fl=(4)
fn=(3)
0 20

fl=(5) /registry/sha2-0.11/src/sha256.rs
fn=(4) sha2::sha256::compress
7 9000
";

#[test]
fn events_are_summed_and_missing_ones_are_zeros() {
    let text = "events: Ir DLmr DLmw\nfl=it.rs\nfn=library::it\n1 50 3 4\n+1 20 1\n+1 9\n";
    let profile = Profile::parse(text, &["DLmr", "DLmw"]).unwrap();
    assert_eq!(
        profile.by_room(),
        BTreeMap::from([("library".to_owned(), 8)])
    );
}

fn toolchain() -> Toolchain {
    Toolchain {
        rustc: "rustc 1.95.0".to_owned(),
        valgrind: "valgrind-3.19.0".to_owned(),
        libc: "ldd 2.36".to_owned(),
        has_avx2: true,
    }
}

fn figures(toolchain: &Toolchain, get: f64) -> Figures {
    Figures::new(
        toolchain,
        &BTreeMap::from([("get", get), ("post", 30_000.4)]),
    )
}

#[test]
fn each_function_counts_what_it_executed_itself_and_digests_do_not_count() {
    let profile = Profile::parse(COUNT, &["Ir"]).unwrap();
    assert!(profile.has_function("tollgate_gateway::request::"));
    let rooms = profile.by_room();
    let rooms: Vec<_> = rooms
        .iter()
        .map(|(room, count)| (&**room, *count))
        .collect();
    assert_eq!(
        rooms,
        [
            ("C library", 20),
            ("gateway::request", 17),
            ("http1::parse", 300)
        ]
    );
    for text in [
        "events: Ir\nfn=(7)\n",
        "events: Ir\nfn=f\n1 many\n",
        "fn=f\n1 2\n",
    ] {
        assert!(Profile::parse(text, &["Ir"]).is_err(), "{text}");
    }
}

#[test]
fn code_belongs_to_a_module_of_ours_or_to_another_crate() {
    let std = "/rustc/library/core/src/option.rs";
    for (function, file, expected) in [
        ("tollgate_gateway::route::find", std, "gateway::route"),
        (
            "<tollgate_counters::owed::Owed as Drop>::drop",
            std,
            "counters",
        ),
        (
            "<tokio::net::TcpStream as AsyncRead>::poll_read",
            std,
            "tokio",
        ),
        ("core::ptr::drop_in_place<tollgate_http1::Body>", std, "std"),
        ("epoll_wait", "???", "C library"),
        (
            "epoll_wait",
            "a/crates/http1/src/relay/request.rs",
            "http1::relay",
        ),
        ("f", "a/crates/counters/src/debit.rs", "counters"),
    ] {
        assert_eq!(
            rooms::room(function, file),
            expected,
            "{function} in {file}"
        );
    }
}

#[test]
fn a_row_may_differ_by_two_percent_and_by_six_from_another_toolchain() {
    let kept = Figures::parse(&figures(&toolchain(), 20_000.0).text().unwrap()).unwrap();
    let compared = |toolchain: &Toolchain, get| kept.compare(&figures(toolchain, get));
    for (get, is_within) in [
        (20_000.0, true),
        (20_400.0, true),
        (20_401.0, false),
        (19_599.0, false),
    ] {
        assert_eq!(compared(&toolchain(), get).is_within(), is_within, "{get}");
    }
    let text = compared(&toolchain(), 21_000.0).to_string();
    assert!(
        text.starts_with("get: 21000 instructions, +5.0 % of the 20000 in"),
        "{text}"
    );
    assert!(text.contains("cargo xtask gauge --write"), "{text}");
    assert_eq!(compared(&toolchain(), 20_000.0).to_string(), "");

    let newer = Toolchain {
        rustc: "rustc 1.96.0".to_owned(),
        ..toolchain()
    };
    let difference = compared(&newer, 21_100.0);
    assert!(difference.is_within());
    assert!(difference.to_string().contains("another rustc: renew it"));
    assert!(!compared(&newer, 21_300.0).is_within());

    let fewer = BTreeMap::from([("get", 20_000.0)]);
    let fewer = kept.compare(&Figures::new(&toolchain(), &fewer));
    assert!(fewer.to_string().contains("post is in"), "{fewer}");
}
