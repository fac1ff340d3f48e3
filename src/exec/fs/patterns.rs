//! Which paths the patterns of a listing mean, in the dialect of [`glob`](crate::exec::glob).
//!
//! A pattern becomes a regular expression for files, and another for the folders below which it can match anything; so
//! folders that no pattern reaches need not be entered.
//!
//! Names that start with a dot match only where the pattern says the dot, unless hidden ones are listed too. The path to be
//! matched tells: there is a NUL before each dot that must be said, and no wildcard matches a NUL.

use regex::Regex;

use crate::exec::glob::{self, Names, Segment, compile};

/// The patterns of files that are wanted.
pub struct Wanted {
    files: Regex,
    folders: Regex,
}

/// The patterns of files and folders that are not.
pub struct Ignored {
    files: Regex,
    folders: Regex,
    has_any: bool,
}

impl Wanted {
    /// Compiles the patterns.
    ///
    /// # Errors
    ///
    /// What is wrong with which pattern.
    pub fn new(patterns: &[String]) -> Result<Self, String> {
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for pattern in patterns {
            if pattern.ends_with('/') {
                return Err(format!(
                    "'{pattern}' names a folder, and only files are listed: '{pattern}**' means those in it"
                ));
            }
            for segments in parse(pattern)? {
                files.push(whole(&segments));
                folders.extend(above(&segments));
            }
        }
        Ok(Self { files: compile(&files)?, folders: compile(&folders)? })
    }

    /// Whether a file is wanted.
    pub fn has_file(&self, path: &str) -> bool {
        self.files.is_match(path)
    }

    /// Whether a file below this folder may be wanted.
    pub fn may_be_below(&self, folder: &str) -> bool {
        self.folders.is_match(folder)
    }
}

impl Ignored {
    /// Compiles the patterns.
    ///
    /// # Errors
    ///
    /// What is wrong with which pattern.
    pub fn new(patterns: &[String]) -> Result<Self, String> {
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for pattern in patterns {
            let folder = pattern.strip_suffix('/');
            for mut segments in parse(folder.unwrap_or(pattern))? {
                folders.push(whole(&segments));
                if folder.is_some() {
                    continue;
                }
                files.push(whole(&segments));
                // All that is below a folder is all of the folder.
                if segments.len() > 1 && segments.last() == Some(&Segment::Globstar) {
                    segments.pop();
                    folders.push(whole(&segments));
                }
            }
        }
        let has_any = !patterns.is_empty();
        Ok(Self { files: compile(&files)?, folders: compile(&folders)?, has_any })
    }

    /// Whether there are patterns at all.
    pub fn has_any(&self) -> bool {
        self.has_any
    }

    /// Whether a file is ignored.
    pub fn has_file(&self, path: &str) -> bool {
        self.has_any && self.files.is_match(path)
    }

    /// Whether a folder is ignored, with all that is in it.
    pub fn has_folder(&self, path: &str) -> bool {
        self.has_any && self.folders.is_match(path)
    }
}

fn parse(pattern: &str) -> Result<Vec<Vec<Segment>>, String> {
    glob::parse(pattern, Names::Paths).map_err(|what| format!("'{pattern}': {what}"))
}

fn whole(segments: &[Segment]) -> String {
    glob::whole(segments, Names::Paths)
}

/// What the folders are matched against below which the pattern can match; none when it matches names in the root only.
fn above(segments: &[Segment]) -> Option<String> {
    let (last, before) = segments.split_last()?;
    let (all, folders) = (Names::Paths.all_below(), Names::Paths.folders());
    let mut regex = (*last == Segment::Globstar).then(|| all.to_owned());
    for segment in before.iter().rev() {
        regex = Some(match (segment, regex) {
            (Segment::Globstar, None) => all.to_owned(),
            (Segment::Globstar, Some(rest)) => format!("(?:{all}|{folders}{rest})"),
            (Segment::Name(name), None) => name.clone(),
            (Segment::Name(name), Some(rest)) => format!("{name}(?:/{rest})?"),
        });
    }
    regex
}

#[cfg(test)]
#[path = "patterns_tests.rs"]
mod tests;
