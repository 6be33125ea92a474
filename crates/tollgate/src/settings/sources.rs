//! Gathers the settings from their sources: flags, environment, file; applies the precedence.

use std::path::{Path, PathBuf};

use super::effective::{Effective, Found};
use super::{
    Declared, FILE_DEFAULT, FILE_VARIABLE, Form, Origin, SETTINGS, Settings, SettingsError,
};

/// The settings as written, before validation.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// Flags in their order: `--name` with its value, if it has one.
    pub flags: Vec<Flag>,
    /// Every environment variable with a name that begins with `TOLLGATE_`.
    pub environment: Vec<(String, String)>,
    /// The directory that relative paths start from, with [`FILE_DEFAULT`] in it.
    pub directory: PathBuf,
}

/// A flag of the command line.
#[derive(Debug, Clone)]
pub struct Flag {
    /// With its hyphens, such as `--data`.
    pub name: String,
    /// Its value, after `=` or as the next word.
    pub value: Option<String>,
}

/// Reads the settings file and validates all sources. Returns the effective settings, as text with
/// origins and typed.
///
/// # Errors
/// Fails at the first unknown or invalid setting, or if the file cannot be read.
pub fn gather(written: &Written) -> Result<(Effective, Settings), SettingsError> {
    let defaults = SETTINGS.iter().map(|declared| {
        let text = declared.default.to_owned();
        let origin = Origin::Default;
        (declared.name, Found { text, origin })
    });
    let mut effective = Effective(defaults.collect());
    if let Some((path, text)) = read_file(written)? {
        effective.0.extend(from_file(&path, &text)?);
    }
    let variables = written.environment.iter();
    for (variable, text) in variables.filter(|(name, _)| !is_not_a_setting(name)) {
        effective.0.extend(from_variable(variable, text)?);
    }
    for flag in &written.flags {
        effective.0.extend(from_flag(flag)?);
    }
    let settings = Settings::parse(&effective)?;
    Ok((effective, settings))
}

/// Returns whether the flag with this name takes no value.
#[must_use]
pub fn is_switch(flag: &str) -> bool {
    SETTINGS
        .iter()
        .filter(|declared| declared.form == Form::Switch)
        .any(|declared| flag == declared.flag() || flag == declared.negated_flag())
}

/// Returns whether a variable has another purpose: the access token of the commands that the
/// portal shows, which a user may have exported, or a variable set by a cluster.
fn is_not_a_setting(variable: &str) -> bool {
    variable == "TOLLGATE_TOKEN" || is_of_a_cluster(variable)
}

/// Returns whether Kubernetes sets this variable in pods next to a service named `tollgate` (its
/// documentation, "Environment variables" of "Service"). No group of settings has such a name.
fn is_of_a_cluster(variable: &str) -> bool {
    let name = variable.strip_prefix("TOLLGATE_").unwrap_or_default();
    name == "PORT" || name.starts_with("PORT_") || name.starts_with("SERVICE_")
}

/// Returns path and text of the configured settings file, or of the default one if it exists.
fn read_file(written: &Written) -> Result<Option<(PathBuf, String)>, SettingsError> {
    let flag = written
        .flags
        .iter()
        .rfind(|flag| flag.name == "--config")
        .and_then(|flag| flag.value.clone());
    let variable = written
        .environment
        .iter()
        .find(|(name, _)| name == FILE_VARIABLE)
        .map(|(_, path)| path.clone());
    let named = flag.or(variable);
    let path = PathBuf::from(named.as_deref().unwrap_or(FILE_DEFAULT));
    match std::fs::read_to_string(written.directory.join(&path)) {
        Ok(text) => Ok(Some((path, text))),
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(SettingsError::Unreadable { path, source }),
    }
}

fn from_file(path: &Path, text: &str) -> Result<Vec<(&'static str, Found)>, SettingsError> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| {
            1 + text[..span.start.min(text.len())].matches('\n').count()
        });
        let message = error.message().replace('\n', ", ");
        SettingsError::NotToml {
            path: path.to_owned(),
            reason: format!("line {line}: {message}"),
        }
    })?;
    let mut found = Vec::new();
    for (key, value) in table {
        match value {
            toml::Value::Table(group) => {
                for (name, value) in group {
                    found.push(from_key(path, format!("{key}.{name}"), &value)?);
                }
            }
            value => found.push(from_key(path, key, &value)?),
        }
    }
    Ok(found)
}

fn from_key(
    path: &Path,
    name: String,
    value: &toml::Value,
) -> Result<(&'static str, Found), SettingsError> {
    let origin = Origin::File(path.to_owned());
    let Some(declared) = Declared::by_name(&name) else {
        return Err(SettingsError::Unknown { name, origin });
    };
    let text = match (declared.form, value) {
        (Form::Text, toml::Value::String(text)) => text.clone(),
        (Form::Number, toml::Value::Integer(number)) => number.to_string(),
        (Form::Switch, toml::Value::Boolean(switch)) => switch.to_string(),
        (form, value) => {
            let quoted = if form == Form::Text { " in quotes" } else { "" };
            return Err(SettingsError::Wrong {
                name: declared.name,
                text: value.to_string(),
                origin,
                expects: format!("{}{quoted}", (declared.expects)()),
            });
        }
    };
    Ok((declared.name, Found { text, origin }))
}

fn from_variable(
    variable: &str,
    text: &str,
) -> Result<Option<(&'static str, Found)>, SettingsError> {
    if variable == FILE_VARIABLE {
        return Ok(None);
    }
    let origin = Origin::Environment(variable.to_owned());
    let declared = SETTINGS
        .iter()
        .find(|declared| declared.variable() == variable);
    let Some(declared) = declared else {
        let name = variable.to_owned();
        return Err(SettingsError::Unknown { name, origin });
    };
    let text = text.to_owned();
    Ok(Some((declared.name, Found { text, origin })))
}

fn from_flag(flag: &Flag) -> Result<Option<(&'static str, Found)>, SettingsError> {
    let no_value = |name: &str, expects: String| SettingsError::NoValue {
        name: name.to_owned(),
        flag: flag.name.clone(),
        expects,
    };
    if flag.name == "--config" {
        // Read first, by `read_file`.
        return match flag.value {
            Some(_) => Ok(None),
            None => Err(no_value("the settings file", "a path".into())),
        };
    }
    let origin = Origin::Flag(flag.name.clone());
    for declared in SETTINGS {
        let is_switch = declared.form == Form::Switch;
        let text = if flag.name == declared.flag() {
            match (&flag.value, is_switch) {
                (Some(text), _) => text.clone(),
                (None, true) => "true".to_owned(),
                (None, false) => return Err(no_value(declared.name, (declared.expects)())),
            }
        } else if is_switch && flag.name == declared.negated_flag() && flag.value.is_none() {
            "false".to_owned()
        } else {
            continue;
        };
        return Ok(Some((declared.name, Found { text, origin })));
    }
    let name = flag.name.clone();
    Err(SettingsError::Unknown { name, origin })
}
