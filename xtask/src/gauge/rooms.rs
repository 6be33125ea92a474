//! The room that code belongs to: a module of one of our crates, or the name of another crate.

/// Crates on the way of a call; the rooms of others are the crates themselves.
const BY_MODULE: [&str; 2] = ["gateway", "http1"];

/// Returns the room of code in this source file, inlined into this function or its own.
pub(super) fn room(function: &str, file: &str) -> String {
    let ours = file.split_once("crates/").and_then(|(_, path)| {
        let (name, path) = path.split_once("/src/")?;
        let module = path.split(['/', '.']).next()?;
        Some((name, module))
    });
    match ours {
        Some((name, module)) if BY_MODULE.contains(&name) => format!("{name}::{module}"),
        Some((name, _)) => name.to_owned(),
        None => of_symbol(function),
    }
}

/// Whether this begins the name of a function of the standard library: one of its crates, or a type
/// without a path.
fn is_std(word: &str) -> bool {
    const CRATES: [&str; 4] = ["alloc", "core", "core_arch", "std"];
    const NUMBERS: [&str; 6] = ["u8", "u16", "u32", "u64", "u128", "usize"];
    CRATES.contains(&word)
        || NUMBERS.contains(&word)
        || word.starts_with(|first: char| first.is_ascii_uppercase())
}

/// Returns the room of a function by its name, such as `<tokio::net::TcpStream as …>::poll_read`.
fn of_symbol(function: &str) -> String {
    let path = function.trim_start_matches(['<', '&', '*', '(', '[']);
    let path = path.trim_start_matches("dyn ").trim_start_matches("mut ");
    let words: Vec<&str> = path.split("::").collect();
    let begins = |word: &str| {
        word.split(['<', ' ', '{', '('])
            .next()
            .unwrap_or(word)
            .to_owned()
    };
    match words.as_slice() {
        [_] => "C library".to_owned(),
        [name, module, ..] => match name.strip_prefix("tollgate_") {
            Some(name) if BY_MODULE.contains(&name) => format!("{name}::{}", begins(module)),
            Some(name) => name.to_owned(),
            None if is_std(&begins(name)) => "std".to_owned(),
            None => begins(name),
        },
        [] => function.to_owned(),
    }
}
