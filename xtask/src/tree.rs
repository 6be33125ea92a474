//! The text files of the repository, read once and passed to every check.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// A text file of the repository.
#[derive(Debug)]
pub(crate) struct TextFile {
    /// Path relative to the repository's root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Returns the part of the name after the last dot; empty if there is none.
    pub(crate) fn extension(&self) -> &str {
        self.name()
            .rsplit_once('.')
            .map_or("", |(_, extension)| extension)
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.extension() == "rs"
    }

    /// Whether the whole file is test code: `tests.rs` next to its module, or in a `tests` folder.
    pub(crate) fn is_test(&self) -> bool {
        self.name() == "tests.rs" || self.path.split('/').any(|folder| folder == "tests")
    }
}

/// All text files that are tracked by git or could be added.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) files: Vec<TextFile>,
}

impl Tree {
    /// Lists the files with git and reads them; files that are not UTF-8 are empty.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let listed = Command::new("git")
            .args([
                "ls-files",
                "--cached",
                "--others",
                "--exclude-standard",
                "-z",
            ])
            .current_dir(root)
            .output()
            .context("git ls-files")?;
        ensure!(
            listed.status.success(),
            "git ls-files failed: is this a git checkout?"
        );
        let names = String::from_utf8(listed.stdout).context("a file name is not UTF-8")?;
        let mut files = Vec::new();
        for path in names.split_terminator('\0') {
            // A tracked file may be deleted in the working tree. A picture has no text, but can be
            // the target of links.
            if let Ok(bytes) = std::fs::read(root.join(path)) {
                let text = String::from_utf8(bytes).unwrap_or_default();
                files.push(TextFile {
                    path: path.to_owned(),
                    text,
                });
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { files })
    }

    /// Builds a tree for a test.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| TextFile {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        };
        Self {
            files: files.iter().map(file).collect(),
        }
    }

    pub(crate) fn file(&self, path: &str) -> Option<&TextFile> {
        self.files.iter().find(|file| file.path == path)
    }

    pub(crate) fn rust_files(&self) -> impl Iterator<Item = &TextFile> {
        self.files.iter().filter(|file| file.is_rust())
    }
}

/// Returns the root of the workspace: the parent of xtask.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_owned()
}
