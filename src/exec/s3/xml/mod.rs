//! The small XML that S3 answers with.
//!
//! The [`Scanner`] reads elements and text and nothing else, borrows whatever it can, and never trims: a key may consist of blanks. A
//! document that is cut off or malformed anywhere is an error, because it says nothing reliable; so is one that declares
//! types, another encoding than UTF-8, or nests deeper than any answer of S3.
//!
//! Of the well-kept readers quick-xml comes nearest: on a page of 1,000 keys as AWS sends it (327 kB) the whole reading
//! took 1.4 times as much of the processor's time with quick-xml 0.42, so this one stays.

mod scanner;
mod text;

pub use scanner::{Scanner, Token};
pub use text::{Malformed, boolean, can_carry};
