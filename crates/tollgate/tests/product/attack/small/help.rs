//! Help is available for every command, and does not list refused roles.

use std::process::Output;

use crate::house::builder;

fn outcome(output: &Output) -> (bool, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let Output {
        status,
        stdout,
        stderr,
    } = output;
    (status.success(), text(stdout), text(stderr))
}

#[test]
fn every_command_has_help_and_an_incomplete_command_prints_its_usage() {
    let builder = builder();
    for (words, expected) in [
        (&["help", "admin"][..], "tollgate admin reset [USER]"),
        (&["help", "admin", "reset"], "one-time password"),
        (&["admin", "--help"], "tollgate admin reset [USER]"),
        (&["help", "run"], "--gateway-listen"),
        (&["help", "config"], "tollgate config"),
        (&["help"], "admin reset [USER]"),
    ] {
        let (is_well, out, err) = outcome(&builder.command(words).unwrap());
        assert!(is_well && out.contains(expected), "{words:?}: {out}{err}");
    }
    // It has done nothing, so it does not succeed.
    let (is_well, out, err) = outcome(&builder.command(&["admin"]).unwrap());
    assert!(!is_well && out.is_empty());
    assert!(err.contains("tollgate admin reset [USER]"), "{err}");
    let (is_well, _, err) = outcome(&builder.command(&["help", "sing"]).unwrap());
    assert!(!is_well && err.contains("`sing` is not a command"), "{err}");
}

#[test]
fn refused_roles_are_not_in_the_help() {
    let builder = builder();
    for words in [&["help"][..], &["help", "run"], &["settings"]] {
        let (_, out, _) = outcome(&builder.command(words).unwrap());
        let role = out
            .lines()
            .skip_while(|line| !(line.trim_start().starts_with("--role ") || *line == "## role"));
        let role: Vec<_> = role.take(7).collect();
        assert!(!role.is_empty());
        let role = role.join("\n").replace("--data", "");
        assert!(role.contains("all") && !role.contains("one of"), "{role}");
        assert!(
            !role.contains("`control`") && !role.contains("`gateway`"),
            "{role}"
        );
    }
}
