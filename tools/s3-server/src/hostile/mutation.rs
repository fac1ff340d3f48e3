//! The ways in which a hostile store answers amiss, and which kind of request each belongs to.

use serde::{Deserialize, Serialize};

/// The requests that are answered amiss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Objects,
    Versions,
    DeleteMany,
    DeleteOne,
}

/// One way to answer amiss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mutation {
    // The true answer to another question.
    IgnorePrefix,
    IgnoreStart,
    IgnoreToken,
    IgnoreDelimiter,
    IgnoreMaxKeys,
    FewKeys,
    UnaskedDelimiter,
    PlainListing,
    // Entries of a listing.
    NoEntries,
    DropEntry,
    DoubleEntry,
    ReverseEntries,
    RenameEntries,
    LowerCaseKeys,
    EmptyKey,
    DropKey,
    ForeignKey,
    PhantomKey,
    RenamedKey,
    SecondKey,
    DropSize,
    BadSize,
    DropTimes,
    BadTimes,
    DropVersionId,
    EmptyVersionId,
    AddVersionId,
    // Whether and where it goes on.
    BooleanCase,
    BooleanGarbage,
    DropTruncated,
    NotTruncated,
    DropToken,
    EmptyToken,
    DoubleToken,
    RepeatToken,
    GarbageToken,
    DropVersionMarker,
    /// The marker is not encoded, though the keys are.
    RawMarker,
    // How names are encoded.
    PercentBlank,
    LowerHex,
    EncodeAll,
    RawNames,
    HideEncoding,
    EncodingCase,
    BadEscape,
    /// A blank is `%20` and a plus is left as it is. Only ever the one habit of a store, see [`super::profile`].
    RawPlus,
    // How the document is written.
    Pretty,
    Namespaced,
    Cdata,
    ByteOrderMark,
    Doctype,
    ExtraElements,
    // Results of deletes.
    RefuseKeys,
    GoneCodes,
    DropDeleted,
    DropError,
    EmptyCode,
    DropCode,
    EmptyErrorKey,
    DropErrorKey,
    SpuriousError,
    ForeignDeleted,
    RenameRoot,
    RenameDeleted,
    IgnoreQuiet,
    ReverseResults,
    DoubleResults,
    EncodedResults,
    DropResultVersion,
    MarkerCase,
    NoMultiDelete,
    /// A request is refused as a whole for some keys.
    PoisonKeys,
    // The answer as a whole.
    Html,
    Json,
    EmptyBody,
    EmptyResult,
    WrongStatus,
    Redirect,
    ErrorInSuccess,
    Throttled,
    ForeignCode,
    Truncate,
    Cut,
    Close,
    Silence,
    Delay,
    Gzip,
    UndeclaredGzip,
}

use Mutation::*;

const ANY: &[Mutation] = &[
    Html,
    Json,
    EmptyBody,
    WrongStatus,
    WrongStatus,
    Redirect,
    ErrorInSuccess,
    Throttled,
    Throttled,
    ForeignCode,
    Truncate,
    Cut,
    Close,
    Silence,
    Delay,
    Gzip,
    UndeclaredGzip,
];

const LISTING: &[Mutation] = &[
    IgnorePrefix,
    IgnoreStart,
    IgnoreToken,
    IgnoreDelimiter,
    IgnoreMaxKeys,
    FewKeys,
    UnaskedDelimiter,
    NoEntries,
    DropEntry,
    DoubleEntry,
    ReverseEntries,
    RenameEntries,
    LowerCaseKeys,
    EmptyKey,
    DropKey,
    ForeignKey,
    PhantomKey,
    RenamedKey,
    SecondKey,
    DropSize,
    BadSize,
    DropTimes,
    BadTimes,
    BooleanCase,
    BooleanGarbage,
    DropTruncated,
    NotTruncated,
    DropToken,
    EmptyToken,
    DoubleToken,
    RepeatToken,
    GarbageToken,
    PercentBlank,
    LowerHex,
    EncodeAll,
    RawNames,
    HideEncoding,
    EncodingCase,
    BadEscape,
    Pretty,
    Namespaced,
    Cdata,
    ByteOrderMark,
    Doctype,
    ExtraElements,
];

const OF_VERSIONS: &[Mutation] = &[
    PlainListing,
    PlainListing,
    DropVersionId,
    EmptyVersionId,
    DropVersionId,
    EmptyVersionId,
    DropVersionMarker,
    RawMarker,
    RawMarker,
];

const OF_OBJECTS: &[Mutation] = &[AddVersionId];

const MULTI: &[Mutation] = &[
    RefuseKeys,
    RefuseKeys,
    GoneCodes,
    DropDeleted,
    DropError,
    EmptyCode,
    DropCode,
    EmptyErrorKey,
    DropErrorKey,
    SpuriousError,
    ForeignDeleted,
    RenameRoot,
    RenameDeleted,
    IgnoreQuiet,
    ReverseResults,
    DoubleResults,
    EncodedResults,
    DropResultVersion,
    MarkerCase,
    NoMultiDelete,
    PoisonKeys,
    PoisonKeys,
    EmptyResult,
    Pretty,
    Namespaced,
    Cdata,
    ByteOrderMark,
    Doctype,
    ExtraElements,
];

const ONE: &[Mutation] = &[MarkerCase];

impl Kind {
    /// What answers of this kind can be amiss in; what matters most stands there more than once.
    pub fn menu(self) -> Vec<Mutation> {
        let own: &[&[Mutation]] = match self {
            Self::Objects => &[LISTING, OF_OBJECTS],
            Self::Versions => &[LISTING, OF_VERSIONS],
            Self::DeleteMany => &[MULTI],
            Self::DeleteOne => &[ONE],
        };
        [&[ANY], own].concat().concat()
    }

    pub fn is_listing(self) -> bool {
        matches!(self, Self::Objects | Self::Versions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_request_has_its_mutations() {
        assert!(Kind::Versions.menu().contains(&DropVersionId));
        assert!(!Kind::Objects.menu().contains(&DropVersionId));
        assert!(!Kind::DeleteOne.menu().contains(&DropError));
        for kind in [Kind::Objects, Kind::Versions, Kind::DeleteMany, Kind::DeleteOne] {
            assert!(kind.menu().contains(&Silence));
            assert!(!kind.menu().contains(&RawPlus), "it is a habit, and never one of many faults");
        }
    }
}
