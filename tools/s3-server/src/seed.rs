//! Makes many keys at once, so that tests and benchmarks of large buckets start fast (`POST /-/seed`).
//!
//! Either `keys` lists them, or `template` and `count` make them up from the numbers `start` to `start + count - 1`:
//!
//! | in the template | becomes |
//! |---|---|
//! | `{i}`, `{i:06}` | the number, padded with zeros to so many digits |
//! | `{i%16}`, `{i%16:02}` | the number modulo 16 |
//! | `{i/16}`, `{i/16:04}` | the number divided by 16, rounded down |
//! | `{x}`, `{x:8}` | that many hexadecimal digits (16 by default) that look random but depend on the number alone |

use std::fmt::Write;
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;

use crate::request::route::MAX_KEY_BYTES;
use crate::store::{Object, Store, Versioning};
use crate::text::now_ms;

/// What to make. The bucket is made when there is none.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Seed {
    bucket: String,
    #[serde(default)]
    keys: Vec<String>,
    template: Option<String>,
    count: Option<u64>,
    #[serde(default)]
    start: u64,
    /// The size of each object in bytes.
    #[serde(default)]
    size: usize,
    /// When the objects were last modified, in milliseconds since 1970; now by default.
    last_modified_ms: Option<i64>,
    /// The bucket's versioning from now on.
    versioning: Option<Versioning>,
    /// How often each key is put.
    #[serde(default = "once")]
    puts: u32,
    /// Whether each key is deleted at last, which leaves a delete marker in a versioned bucket.
    #[serde(default)]
    delete: bool,
}

fn once() -> u32 {
    1
}

/// Fills the bucket; how many keys were made.
pub fn seed(store: &Store, seed: &Seed) -> Result<u64, String> {
    let template = match (&seed.template, seed.count) {
        (Some(template), Some(_)) => Some(Template::parse(template)?),
        (None, None) => None,
        _ => return Err("give template and count together, or keys".to_owned()),
    };
    let numbers = seed.start..seed.start.saturating_add(seed.count.unwrap_or_default());
    let made_up =
        template.iter().flat_map(|template| numbers.clone().map(|number| template.key(number)));
    let keys = seed.keys.iter().cloned().chain(made_up);

    let object = Arc::new(Object::new(Bytes::from(vec![b'x'; seed.size]), None));
    let modified_ms = seed.last_modified_ms.unwrap_or_else(now_ms);
    let bucket = store.bucket_or_new(&seed.bucket);
    let mut bucket = bucket.write();
    if let Some(versioning) = seed.versioning {
        bucket.versioning = versioning;
    }
    let mut made = 0;
    for key in keys {
        if key.is_empty() || key.len() > MAX_KEY_BYTES {
            return Err(format!(
                "a key has 1 to {MAX_KEY_BYTES} bytes, this one {}: {key:?}",
                key.len()
            ));
        }
        for _ in 0..seed.puts {
            bucket.put(&key, object.clone(), modified_ms);
        }
        if seed.delete {
            bucket.delete(&key, None, modified_ms);
        }
        made += 1;
    }
    Ok(made)
}

/// A template taken apart.
struct Template(Vec<Part>);

#[derive(Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Number { operation: Arithmetic, width: usize },
    Hex { digits: usize },
}

#[derive(Debug, PartialEq, Eq)]
enum Arithmetic {
    Itself,
    Modulo(u64),
    DividedBy(u64),
}

impl Template {
    fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (inside, after) =
                after.split_once('}').ok_or_else(|| format!("a brace stays open in {text:?}"))?;
            parts.push(Part::Text(before.to_owned()));
            parts.push(Part::parse(inside).ok_or_else(|| {
                format!("{{{inside}}} is not known in a template: use {{i}}, {{i%N}}, {{i/N}} or {{x}}, each with :WIDTH if you like")
            })?);
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Self(parts))
    }

    fn key(&self, number: u64) -> String {
        let mut key = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => key.push_str(text),
                Part::Number { operation, width } => {
                    let value = match operation {
                        Arithmetic::Itself => number,
                        Arithmetic::Modulo(divisor) => number % divisor,
                        Arithmetic::DividedBy(divisor) => number / divisor,
                    };
                    write!(key, "{value:0width$}").expect("a string takes all writes");
                }
                Part::Hex { digits } => {
                    key.push_str(&format!("{:016x}", scatter(number))[..*digits])
                }
            }
        }
        key
    }
}

impl Part {
    fn parse(inside: &str) -> Option<Self> {
        let (what, width) = match inside.split_once(':') {
            Some((what, width)) => {
                (what, Some(width.parse::<usize>().ok().filter(|width| *width <= 64)?))
            }
            None => (inside, None),
        };
        if what == "x" {
            let digits = width.unwrap_or(16);
            return (digits <= 16).then_some(Self::Hex { digits });
        }
        let divisor = |text: &str| text.parse().ok().filter(|divisor| *divisor > 0);
        let operation = match what.strip_prefix('i')?.split_at_checked(1) {
            None => Arithmetic::Itself,
            Some(("%", number)) => Arithmetic::Modulo(divisor(number)?),
            Some(("/", number)) => Arithmetic::DividedBy(divisor(number)?),
            Some(_) => return None,
        };
        Some(Self::Number { operation, width: width.unwrap_or_default() })
    }
}

/// Mixes a number's bits (the finalizer of SplitMix64), so that neighbours end up far apart and none collide.
pub(crate) fn scatter(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates() {
        let key = |text: &str, number| Template::parse(text).unwrap().key(number);
        assert_eq!(key("a/{i}", 7), "a/7");
        assert_eq!(key("{i:04}|{i%16:02}|{i/16}", 35), "0035|03|2");
        assert_eq!(key("plain", 1), "plain");
        let random = key("{x:4}/{x}", 1);
        assert!(random.len() == 21 && random.starts_with(&random[5..9]), "{random}");
        assert_ne!(key("{x:4}", 1), key("{x:4}", 2));
        for bad in ["{", "{j}", "{i*2}", "{i%0}", "{i:x}", "{x:17}", "{i:65}"] {
            assert!(Template::parse(bad).is_err(), "{bad}");
        }
    }
}
