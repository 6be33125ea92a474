//! Tests of links.

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
fn urls_anchors_and_rust_paths_are_ignored() {
    let text = "[a](https://example.org/x) [b](#here) [c](crate::Pool) [d](mailto:a@b)\n";
    assert_eq!(faults("README.md", text), [""; 0]);
}

#[test]
fn a_broken_link_is_a_fault() {
    let text = "# Title\n[a](crates/b.rs)\n";
    assert_eq!(
        faults("README.md", text),
        ["README.md:2: broken link to crates/b.rs"]
    );
    let outside = "README.md:1: broken link to ../LICENSE";
    assert_eq!(faults("README.md", "[a](../LICENSE)\n"), [outside]);
}
