//! The parameters of a listing, read and checked, and the token of its next page.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use super::query::Query;
use super::route::MAX_KEYS;
use crate::error::{S3Error, S3Result};
use crate::store::{ListingQuery, Position, VersionId, VersionMarker, VersionsQuery};

/// What the answer to a listing repeats from the request.
#[derive(Debug, Default)]
pub struct ListingEcho {
    pub url_encoded: bool,
    pub fetch_owner: bool,
    pub start_after: Option<String>,
    pub continuation_token: Option<String>,
}

/// Reads the parameters of a ListObjectsV2.
pub(super) fn list_objects(query: &Query) -> S3Result<(ListingQuery, ListingEcho)> {
    let token = query.get("continuation-token");
    let start_after = query.get("start-after").filter(|key| !key.is_empty());
    let start = match (token, start_after) {
        (Some(token), _) => read_token(token).ok_or_else(|| {
            S3Error::invalid_argument("The continuation token provided is incorrect")
        })?,
        (None, Some(key)) => Position::AfterKey(key.to_owned()),
        (None, None) => Position::Start,
    };
    let fetch_owner = match query.get("fetch-owner") {
        None | Some("false") => false,
        Some("true") => true,
        Some(other) => {
            return Err(S3Error::invalid_argument(format!(
                "fetch-owner is {other}: give true or false"
            )));
        }
    };
    Ok((
        ListingQuery {
            prefix: query.get("prefix").unwrap_or_default().to_owned(),
            delimiter: delimiter(query),
            max_keys: max_keys(query)?,
            start,
        },
        ListingEcho {
            url_encoded: url_encoded(query)?,
            fetch_owner,
            start_after: start_after.map(str::to_owned),
            continuation_token: token.map(str::to_owned),
        },
    ))
}

/// Reads the parameters of a ListObjectVersions.
pub(super) fn list_versions(query: &Query) -> S3Result<(VersionsQuery, ListingEcho)> {
    let version_id_marker = query.get("version-id-marker");
    let marker = match (query.get("key-marker").filter(|key| !key.is_empty()), version_id_marker) {
        (None, None) => None,
        (None, Some(_)) => {
            return Err(S3Error::invalid_argument(
                "A version-id marker cannot be specified without a key marker.",
            ));
        }
        (Some(_), Some("")) => {
            return Err(S3Error::invalid_argument("A version-id marker cannot be empty."));
        }
        (Some(key), version) => {
            let invalid = || S3Error::invalid_argument("Invalid version id specified");
            let version =
                version.map(|text| VersionId::parse(text).ok_or_else(invalid)).transpose()?;
            Some(VersionMarker { key: key.to_owned(), version })
        }
    };
    Ok((
        VersionsQuery {
            prefix: query.get("prefix").unwrap_or_default().to_owned(),
            delimiter: delimiter(query),
            max_keys: max_keys(query)?,
            marker,
        },
        ListingEcho { url_encoded: url_encoded(query)?, ..ListingEcho::default() },
    ))
}

fn delimiter(query: &Query) -> Option<String> {
    query.get("delimiter").filter(|text| !text.is_empty()).map(str::to_owned)
}

fn max_keys(query: &Query) -> S3Result<usize> {
    let Some(text) = query.get("max-keys") else {
        return Ok(MAX_KEYS);
    };
    match text.parse::<i32>() {
        Ok(number) if number >= 0 => Ok((number as usize).min(MAX_KEYS)),
        Ok(_) => Err(S3Error::invalid_argument(
            "Argument maxKeys must be an integer between 0 and 2147483647",
        )),
        Err(_) => Err(S3Error::invalid_argument(
            "Provided max-keys not an integer or within integer range",
        )),
    }
}

fn url_encoded(query: &Query) -> S3Result<bool> {
    match query.get("encoding-type") {
        None => Ok(false),
        Some("url") => Ok(true),
        Some(_) => Err(S3Error::invalid_argument("Invalid Encoding Method specified in Request")),
    }
}

/// A continuation token holds the position where the next page begins; to clients it is opaque.
pub fn write_token(position: &Position) -> String {
    let text = match position {
        Position::Start => "s".to_owned(),
        Position::AfterKey(key) => format!("k{key}"),
        Position::AfterPrefix(prefix) => format!("p{prefix}"),
    };
    BASE64_URL_SAFE_NO_PAD.encode(text)
}

fn read_token(token: &str) -> Option<Position> {
    let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    let mut chars = text.chars();
    match (chars.next()?, chars.as_str().to_owned()) {
        ('s', rest) if rest.is_empty() => Some(Position::Start),
        ('k', key) => Some(Position::AfterKey(key)),
        ('p', prefix) => Some(Position::AfterPrefix(prefix)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back() {
        for position in [
            Position::Start,
            Position::AfterKey("a b/é\u{1}".into()),
            Position::AfterPrefix("a/".into()),
        ] {
            assert_eq!(read_token(&write_token(&position)), Some(position));
        }
        for bad in ["", "x", "c3g", "_w"] {
            assert_eq!(read_token(bad), None, "{bad}");
        }
    }

    #[test]
    fn listing_parameters_are_checked() {
        let read = |raw| {
            list_objects(&Query::parse(raw).unwrap()).map_err(|error| error.code.into_owned())
        };
        let limit = |raw| match read(raw) {
            Ok((query, _)) => query.max_keys,
            Err(code) => panic!("{code}"),
        };
        assert_eq!(
            (limit(""), limit("max-keys=7"), limit("max-keys=2000"), limit("max-keys=0")),
            (1000, 7, 1000, 0)
        );
        for bad in
            ["max-keys=-1", "max-keys=x", "max-keys=", "encoding-type=xml", "continuation-token=*"]
        {
            assert_eq!(read(bad).unwrap_err(), "InvalidArgument", "{bad}");
        }
        for bad in [
            "version-id-marker=null",
            "key-marker=a&version-id-marker=",
            "key-marker=a&version-id-marker=x",
        ] {
            assert_eq!(
                list_versions(&Query::parse(bad).unwrap()).unwrap_err().code,
                "InvalidArgument",
                "{bad}"
            );
        }
    }
}
