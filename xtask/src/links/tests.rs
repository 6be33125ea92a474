//! Which links are followed.

use crate::links::check;
use crate::tree::Tree;

fn faults(path: &str, text: &str) -> Vec<String> {
    let tree = Tree::of(&[
        (path, text),
        ("crates/a/README.md", "# a\n"),
        ("LICENSE", "\n"),
    ]);
    check(&tree).iter().map(ToString::to_string).collect()
}

#[test]
fn a_link_to_a_file_or_a_folder_is_fine() {
    let text = "[a](crates/a/README.md#top) [b](crates/a/) [c](LICENSE \"licence\")\n";
    assert_eq!(faults("README.md", text), [""; 0]);
    assert_eq!(
        faults("docs/guide/a.md", "[a](../../LICENSE) [b](../..)\n"),
        [""; 0]
    );
}

#[test]
fn addresses_places_and_rust_names_are_left_alone() {
    let text = "[a](https://example.org/x) [b](#here) [c](crate::Pool) [d](mailto:a@b)\n";
    assert_eq!(faults("README.md", text), [""; 0]);
}

#[test]
fn a_link_to_nothing_is_a_fault() {
    let text = "# Title\n[a](crates/b.rs)\n";
    assert_eq!(
        faults("README.md", text),
        ["README.md:2: the link to crates/b.rs leads nowhere"]
    );
    let outside = "README.md:1: the link to ../LICENSE leads nowhere";
    assert_eq!(faults("README.md", "[a](../LICENSE)\n"), [outside]);
}
