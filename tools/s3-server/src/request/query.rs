//! The query of a request: decoded names and values in their order.

use crate::error::S3Result;
use crate::text::{decode_query, encode_for_signature};

/// The decoded query.
#[derive(Debug, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    pub fn parse(raw: &str) -> S3Result<Self> {
        let pairs = raw.split('&').filter(|pair| !pair.is_empty());
        let decoded = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode_query(name)?, decode_query(value)?))
        });
        decoded.collect::<S3Result<_>>().map(Self)
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(candidate, _)| candidate == name).map(|(_, value)| &**value)
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    /// The form that is signed: encoded, in order, each name with an equals sign.
    pub fn canonical(&self) -> String {
        let encoded = |text| encode_for_signature(text, false);
        let mut pairs: Vec<_> =
            self.0.iter().map(|(name, value)| (encoded(name), encoded(value))).collect();
        pairs.sort();
        let pairs: Vec<_> =
            pairs.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        pairs.join("&")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_makes_canonical() {
        let query = Query::parse("prefix=a%20b&list-type=2&delete&A=%2B+x").unwrap();
        assert_eq!(query.get("prefix"), Some("a b"));
        assert_eq!(query.get("A"), Some("+ x"));
        assert!(query.has("delete") && !query.has("deletes"));
        assert_eq!(query.canonical(), "A=%2B%20x&delete=&list-type=2&prefix=a%20b");
        assert!(Query::parse("a=%zz").is_err());
    }
}
