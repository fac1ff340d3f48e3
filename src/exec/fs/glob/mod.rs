//! Which paths patterns mean: `*`, `**`, `?`, `[a-z]`, `{a,b}`, `{1..3}` and groups such as `@(a|b)`, by characters.
//!
//! A pattern becomes a regular expression for files, and another for the folders below which it can match anything; so
//! folders that no pattern reaches need not be entered. What is not supported is refused by its name.
//!
//! Names that start with a dot match only where the pattern says the dot, unless hidden ones are listed too. The path to be
//! matched tells: there is a NUL before each dot that must be said, and no wildcard matches a NUL.

mod braces;
mod segment;

use regex::Regex;

use segment::Segment;

/// Before a dot that the pattern must say.
pub const SAY_DOT: char = '\0';

/// One or more names, none of which has a dot that must be said.
const NAMES: &str = "[^/\0]+(?:/[^/\0]+)*";
/// Any number of folders.
const FOLDERS: &str = "(?:[^/\0]+/)*";

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
        Ok(Self { files: compile(files)?, folders: compile(folders)? })
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
        Ok(Self { files: compile(files)?, folders: compile(folders)?, has_any })
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
    if pattern.starts_with('!') && !pattern.starts_with("!(") {
        return Err(format!(
            "'{pattern}' starts with '!': what is not wanted goes into the option ignore"
        ));
    }
    let refuse = |what: String| format!("'{pattern}': {what}");
    let alternatives = braces::expand(pattern).map_err(refuse)?;
    alternatives.iter().map(|path| segment::split(path).map_err(refuse)).collect()
}

/// What the whole of a path is matched against.
fn whole(segments: &[Segment]) -> String {
    let mut regex = String::new();
    for (n, segment) in segments.iter().enumerate() {
        let is_last = n + 1 == segments.len();
        match segment {
            Segment::Globstar if is_last => regex.push_str(NAMES),
            Segment::Globstar => regex.push_str(FOLDERS),
            Segment::Name(name) => {
                regex.push_str(name);
                if !is_last {
                    regex.push('/');
                }
            }
        }
    }
    regex
}

/// What the folders are matched against below which the pattern can match; none when it matches names in the root only.
fn above(segments: &[Segment]) -> Option<String> {
    let (last, folders) = segments.split_last()?;
    let mut regex = (*last == Segment::Globstar).then(|| NAMES.to_owned());
    for segment in folders.iter().rev() {
        regex = Some(match (segment, regex) {
            (Segment::Globstar, None) => NAMES.to_owned(),
            (Segment::Globstar, Some(rest)) => format!("(?:{NAMES}|{FOLDERS}{rest})"),
            (Segment::Name(name), None) => name.clone(),
            (Segment::Name(name), Some(rest)) => format!("{name}(?:/{rest})?"),
        });
    }
    regex
}

fn compile(alternatives: Vec<String>) -> Result<Regex, String> {
    // A class that has nothing matches nothing.
    let all = if alternatives.is_empty() { "[a&&b]".to_owned() } else { alternatives.join("|") };
    Regex::new(&format!("(?s)\\A(?:{all})\\z")).map_err(|error| error.to_string())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
