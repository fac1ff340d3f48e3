//! The paths for tests, under `/-/`. Requests need no signature; answers are JSON, errors `{ "error": "..." }` with status 400.
//!
//! | request | does |
//! |---|---|
//! | `GET /-/stats` | counters, see `load::stats`; `prefixes` per `bucket/prefix`, `faults` per fault of the script |
//! | `POST /-/reset` | forgets buckets, faults, added credentials, changed settings and counters; with `?only=stats` the counters alone |
//! | `GET /-/config`, `POST /-/config` | the settings; the body's fields replace those of the same name, see `options::Settings` |
//! | `POST /-/faults` | replaces the script of faults, see `load::faults` |
//! | `POST /-/seed` | makes many keys, see `seed` |
//! | `POST /-/credentials` | adds credentials, see `auth::credentials` |
//! | `POST /-/hostile` | makes a hostile bucket, see `hostile` |
//! | `GET /-/hostile?bucket=NAME`, `DELETE` | reports what that was asked, did and has left; forgets it |
//! | `GET /-/hostile/strays` | requests to other buckets since there is a hostile one |

use std::sync::Arc;

use hyper::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::answer::Answer;
use super::state::State;
use crate::load::faults;
use crate::seed;

/// Answers a request to a path behind `/-/`.
pub(super) fn answer(state: &State, head: &Parts, path: &str, body: &[u8]) -> Answer {
    let query = head.uri.query().unwrap_or_default();
    match run(state, head.method.as_str(), path, query, body) {
        Ok(value) => Answer::json(200, &value),
        Err(error) => Answer::json(400, &json!({ "error": error })),
    }
}

fn run(state: &State, method: &str, path: &str, query: &str, body: &[u8]) -> Result<Value, String> {
    match (method, path, query) {
        ("GET", "stats", "") => Ok(stats(state)),
        ("POST", "reset", "only=stats") => {
            state.stats.reset();
            state.throttle.reset();
            Ok(stats(state))
        }
        ("POST", "reset", "") => {
            state.store.clear();
            state.hostile.clear();
            state.faults.replace(Vec::new());
            state.credentials.clear();
            *state.settings.write() = Arc::new(state.initial_settings.clone());
            state.stats.reset();
            state.throttle.reset();
            Ok(stats(state))
        }
        ("GET", "config", "") => Ok(json!(*state.settings())),
        ("POST", "config", "") => {
            let mut settings = state.settings.write();
            *settings = Arc::new(settings.changed_by(&parse(body)?)?);
            Ok(json!(**settings))
        }
        ("POST", "faults", "") => {
            let faults = faults::parse(body)?;
            let count = faults.len();
            state.faults.replace(faults);
            Ok(json!({ "faults": count }))
        }
        ("POST", "seed", "") => Ok(json!({ "keys": seed::seed(&state.store, &parse(body)?)? })),
        ("POST", "hostile", "") => state.hostile.make(&state.store, parse(body)?),
        ("GET", "hostile/strays", "") => Ok(state.hostile.strays()),
        ("GET", "hostile", query) => state.hostile.report(&state.store, bucket_of(query)?),
        ("DELETE", "hostile", query) => {
            state.hostile.forget(&state.store, bucket_of(query)?);
            Ok(json!({}))
        }
        ("POST", "credentials", "") => {
            state.credentials.add(parse(body)?);
            Ok(json!({}))
        }
        _ => Err(format!("{method} /-/{path}?{query} is not known: see http/admin.rs")),
    }
}

fn stats(state: &State) -> Value {
    let mut stats = json!(state.stats.snapshot());
    stats["prefixes"] = json!(state.throttle.counts());
    stats["faults"] = json!(state.faults.counts());
    stats
}

fn bucket_of(query: &str) -> Result<&str, String> {
    query.strip_prefix("bucket=").ok_or_else(|| "give ?bucket=NAME".to_owned())
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| format!("the body is not valid: {error}"))
}
