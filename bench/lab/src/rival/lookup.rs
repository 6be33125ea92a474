//! Search for the programs of rivals on this machine.

use std::path::{Path, PathBuf};

use super::{Program, Rival, render};

/// Search locations of programs.
pub(super) struct Lookup<'a> {
    /// `bench/.installed`, where `make rivals` installs what is not a Debian package.
    pub(super) installed: &'a Path,
    /// Directories searched after it.
    pub(super) path: Vec<PathBuf>,
    /// Reads an environment variable.
    pub(super) variable: &'a dyn Fn(&str) -> Option<PathBuf>,
}

impl Rival {
    /// Returns the program's path, or why the rival cannot be started.
    pub(super) fn find_program(&self, lookup: &Lookup<'_>) -> Result<PathBuf, String> {
        let Program { name, variable } = &self.described.program;
        let program = match variable {
            Some(variable) => {
                let given = (lookup.variable)(variable);
                let given = given
                    .ok_or_else(|| format!("{variable} is not set; {}", self.described.install))?;
                if !given.is_file() {
                    return Err(format!(
                        "{variable} is set to {}, which is not a file",
                        given.display()
                    ));
                }
                given
            }
            None => {
                let own = lookup.installed.join(&self.name).join("bin");
                let directories = std::iter::once(&own).chain(&lookup.path);
                let found = directories.map(|it| it.join(name)).find(|it| it.is_file());
                found
                    .ok_or_else(|| format!("{name} is not installed; {}", self.described.install))?
            }
        };
        let values = self.values(None);
        for need in &self.described.needs {
            let path = render::line(&need.path, &values).map_err(|error| format!("{error:#}"))?;
            if !Path::new(&path).exists() {
                return Err(format!(
                    "{} is missing; {}",
                    need.what, self.described.install
                ));
            }
        }
        Ok(program)
    }
}
