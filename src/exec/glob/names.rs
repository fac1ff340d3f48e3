//! What patterns are matched against: paths of files, or keys of objects. That decides the little in which their globs differ.

/// Before a dot of a path that the pattern must say.
pub const SAY_DOT: char = '\0';

/// What the names are that a pattern is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Paths below a folder. No part of one is empty, and there is [`SAY_DOT`] before each dot that the pattern must say.
    Paths,
    /// Keys of objects, in which any character may stand anywhere.
    Keys,
}

impl Names {
    /// What no wildcard matches but `**`, as it stands in a class.
    pub fn never(self) -> &'static str {
        match self {
            Self::Paths => "/\0",
            Self::Keys => "/",
        }
    }

    /// What `?` means.
    pub fn one(self) -> &'static str {
        match self {
            Self::Paths => "[^/\0]",
            Self::Keys => "[^/]",
        }
    }

    /// What one star or more mean beside other characters of a name.
    pub fn stars(self, is_single: bool) -> &'static str {
        match self {
            Self::Paths => "[^/\0]*",
            Self::Keys if is_single => "[^/]*",
            Self::Keys => ".*",
        }
    }

    /// What `**` means at the end: something of everything that is below.
    pub fn all_below(self) -> &'static str {
        match self {
            Self::Paths => "[^/\0]+(?:/[^/\0]+)*",
            // The key of a folder itself ends in its slash.
            Self::Keys => ".*",
        }
    }

    /// What `**/` means: any number of folders, or none.
    pub fn folders(self) -> &'static str {
        match self {
            Self::Paths => "(?:[^/\0]+/)*",
            Self::Keys => "(?:.*/)?",
        }
    }

    /// What to do where a pattern was to say what is not wanted.
    pub fn instead_of_not(self) -> &'static str {
        match self {
            Self::Paths => "what is not wanted goes into the option ignore",
            Self::Keys => "what is not wanted goes into the option where; '!' as text is '\\!'",
        }
    }
}
