//! Finds places at which a range of keys can be cut, by asking the store.
//!
//! The questions and what their answers mean are planned in [`ranges`](super::ranges); here they are asked, up to
//! [`MOST_PROBES`] at once.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::fault::Fault;
use super::ranges::{MOST_PROBES, alphabet, behind, cuts, positions, spread};

/// On how many levels folders are looked for.
const LEVELS: usize = 4;
/// With fewer places than this, places are looked for inside of the parts that they separate as well.
const ENOUGH: usize = 4;
/// How many times parts are divided further.
const DEPTH: u32 = 2;

/// Answers questions about the keys that are to be listed.
pub trait Asker: Send + Sync + 'static {
    /// The first key after this place.
    fn first_after(
        &self,
        place: String,
    ) -> impl Future<Output = Result<Option<String>, Fault>> + Send;

    /// The names of keys and folders in `folder` after this place, as many as one page holds.
    fn names_after(
        &self,
        folder: String,
        place: String,
    ) -> impl Future<Output = Result<Vec<String>, Fault>> + Send;
}

/// A range that is to be cut: keys with a prefix, after a known key, and up to another place.
#[derive(Clone, Debug)]
pub struct Whole {
    /// The prefix of all keys.
    pub prefix: String,
    /// A key at the beginning of the range.
    pub after: String,
    /// The end, if it has one.
    pub until: Option<String>,
}

/// Finds at most `want` places to cut at, in order. There are none when the range is not worth cutting.
pub async fn find_cuts<A: Asker>(
    asker: Arc<A>,
    whole: Whole,
    want: usize,
) -> Result<Vec<String>, Fault> {
    let asker = Arc::new(Limited { asker, permits: Arc::new(Semaphore::new(MOST_PROBES)) });
    let Whole { after, until, .. } = &whole;
    let (after, until) = (after.clone(), until.clone());
    let found = by_folders(&asker, &whole).await?;
    let found = if found.len() >= ENOUGH { found } else { by_letters(asker, whole, DEPTH).await? };
    Ok(cuts(found, &after, until.as_deref(), want))
}

struct Limited<A> {
    asker: Arc<A>,
    permits: Arc<Semaphore>,
}

impl<A: Asker> Limited<A> {
    async fn first_after(
        &self,
        place: String,
        until: Option<&str>,
    ) -> Result<Option<String>, Fault> {
        let _permit = self.permits.acquire().await;
        let found = self.asker.first_after(place).await?;
        Ok(found.filter(|key| until.is_none_or(|until| key.as_str() <= until)))
    }

    async fn names_after(&self, folder: String, place: String) -> Result<Vec<String>, Fault> {
        let _permit = self.permits.acquire().await;
        self.asker.names_after(folder, place).await
    }
}

/// The names after the known key, on the uppermost level of folders that has such names.
async fn by_folders<A: Asker>(
    asker: &Arc<Limited<A>>,
    whole: &Whole,
) -> Result<Vec<String>, Fault> {
    let Whole { prefix, after, .. } = whole;
    let base = prefix.len().min(after.len());
    let ends: Vec<usize> =
        after[base..].match_indices('/').map(|(at, _)| base + at + 1).take(LEVELS).collect();
    let starts = [base].into_iter().chain(ends.iter().copied());
    let questions = starts.zip(&ends).map(|(start, end)| {
        let asker = Arc::clone(asker);
        let (folder, place) = (after[..start].to_owned(), behind(&after[..*end]));
        async move {
            let names = asker.names_after(folder, place.clone()).await?;
            Ok((place, names))
        }
    });
    for (place, mut names) in all(questions).await? {
        if !names.is_empty() {
            names.push(place);
            return Ok(names);
        }
    }
    Ok(Vec::new())
}

/// Places where keys begin to differ from the known one.
fn by_letters<A: Asker>(
    asker: Arc<Limited<A>>,
    whole: Whole,
    depth: u32,
) -> Pin<Box<dyn Future<Output = Result<Vec<String>, Fault>> + Send>> {
    Box::pin(async move {
        let Some((end, other)) = divergence(&asker, &whole).await? else { return Ok(Vec::new()) };
        let Whole { prefix, after, until } = whole;
        let known = after[..end].chars().next_back().unwrap_or_default();
        let common = after[..end - known.len_utf8()].to_owned();
        let letter = |key: &str| key.get(common.len()..).and_then(|rest| rest.chars().next());
        let questions = alphabet(known, letter(&other)).into_iter().map(|char| {
            let (asker, until) = (Arc::clone(&asker), until.clone());
            let place = format!("{common}{char}");
            async move { asker.first_after(place, until.as_deref()).await }
        });
        let mut keys: Vec<String> =
            all(questions).await?.into_iter().flatten().chain([other]).collect();
        keys.sort_unstable();
        keys.dedup_by_key(|key| letter(key));
        let places: Vec<String> = keys
            .iter()
            .filter_map(|key| letter(key))
            .map(|char| format!("{common}{char}"))
            .collect();
        if places.len() >= ENOUGH || depth == 0 {
            return Ok(places);
        }
        // With few letters at this position, many keys may share each of them.
        let ends = places.iter().cloned().map(Some).chain([until]);
        let inner = keys.iter().chain([&after]).map(|key| (key.clone(), letter(key)));
        let starts = ends.collect::<Vec<_>>();
        let questions = inner.map(|(key, letter)| {
            let asker = Arc::clone(&asker);
            let start = letter.map_or_else(|| prefix.clone(), |char| format!("{common}{char}"));
            let until = starts
                .iter()
                .flatten()
                .find(|end| **end > start)
                .cloned()
                .or_else(|| starts.last().cloned().flatten());
            let whole = Whole { prefix: start, after: key, until };
            async move { by_letters(asker, whole, depth - 1).await }
        });
        let deeper = all(questions).await?.into_iter().flatten();
        Ok(deeper.chain(places).collect())
    })
}

/// The end of the shortest beginning of the known key that some later key does not share, and such a key.
async fn divergence<A: Asker>(
    asker: &Arc<Limited<A>>,
    whole: &Whole,
) -> Result<Option<(usize, String)>, Fault> {
    let mut ends = positions(&whole.after, whole.prefix.len());
    loop {
        let asked = spread(&ends, MOST_PROBES);
        let questions = asked.iter().map(|end| {
            let (asker, until) = (Arc::clone(asker), whole.until.clone());
            let place = behind(&whole.after[..*end]);
            async move { asker.first_after(place, until.as_deref()).await }
        });
        let answers = all(questions).await?;
        let first =
            answers.into_iter().enumerate().find_map(|(at, found)| found.map(|key| (at, key)));
        let Some((at, key)) = first else { return Ok(None) };
        let from = at.checked_sub(1).map(|before| asked[before]);
        let between: Vec<usize> = ends
            .iter()
            .copied()
            .filter(|end| from.is_none_or(|from| *end > from) && *end < asked[at])
            .collect();
        if between.is_empty() {
            return Ok(Some((asked[at], key)));
        }
        ends = between.into_iter().chain([asked[at]]).collect();
    }
}

/// All answers in the order of the questions, or the first fault.
async fn all<T: Send + 'static>(
    questions: impl Iterator<Item = impl Future<Output = Result<T, Fault>> + Send + 'static>,
) -> Result<Vec<T>, Fault> {
    let mut asked = JoinSet::new();
    for (number, question) in questions.enumerate() {
        asked.spawn(async move { (number, question.await) });
    }
    let mut answers = Vec::with_capacity(asked.len());
    while let Some(answer) = asked.join_next().await {
        let (number, answer) =
            answer.map_err(|error| Fault::passing("InternalError", error.to_string()))?;
        answers.push((number, answer?));
    }
    answers.sort_unstable_by_key(|(number, _)| *number);
    Ok(answers.into_iter().map(|(_, answer)| answer).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::runtime;
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Keys {
        keys: BTreeSet<String>,
        asked: AtomicUsize,
    }

    impl Asker for Keys {
        async fn first_after(&self, place: String) -> Result<Option<String>, Fault> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            Ok(self
                .keys
                .range::<String, _>((std::ops::Bound::Excluded(place), std::ops::Bound::Unbounded))
                .next()
                .cloned())
        }

        async fn names_after(&self, folder: String, place: String) -> Result<Vec<String>, Fault> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            let names: BTreeSet<String> = self
                .keys
                .iter()
                .filter(|key| key.starts_with(&folder))
                .map(|key| match key[folder.len()..].find('/') {
                    Some(at) => key[..folder.len() + at + 1].to_owned(),
                    None => key.clone(),
                })
                .filter(|name| *name > place)
                .collect();
            Ok(names.into_iter().take(1000).collect())
        }
    }

    /// The shares of the keys that the ranges between the cuts hold.
    fn shares(
        keys: impl IntoIterator<Item = String>,
        prefix: &str,
        want: usize,
    ) -> (Vec<f64>, usize) {
        let keys: BTreeSet<String> = keys.into_iter().collect();
        let after = keys.iter().nth(keys.len().min(1000) / 2).unwrap().clone();
        let asker = Arc::new(Keys { keys: keys.clone(), asked: AtomicUsize::new(0) });
        let whole = Whole { prefix: prefix.to_owned(), after: after.clone(), until: None };
        let cuts = runtime::handle().block_on(find_cuts(Arc::clone(&asker), whole, want)).unwrap();
        assert!(cuts.len() <= want && cuts.is_sorted(), "{cuts:?}");
        let rest: Vec<_> = keys.iter().filter(|key| **key > after).collect();
        let mut shares = vec![0.0; cuts.len() + 1];
        for key in &rest {
            shares[cuts.partition_point(|cut| cut < *key)] += 1.0 / rest.len() as f64;
        }
        (shares, asker.asked.load(Ordering::SeqCst))
    }

    #[test]
    fn cuts_keys_of_any_shape_into_fair_shares() {
        let mix = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let shapes: [(&str, &str, Vec<String>, f64); 7] = [
            ("numbers", "p/", (0..20_000).map(|n| format!("p/{n:08}")).collect(), 0.5),
            ("hexadecimal", "", (0..20_000).map(|n| format!("{:016x}", mix(n))).collect(), 0.2),
            (
                "folders",
                "p/",
                (0..20_000).map(|n| format!("p/{:02}/{n:08}", n % 16)).collect(),
                0.2,
            ),
            (
                "deep folders",
                "",
                (0..20_000).map(|n| format!("a/b/c/{:02}/{n:08}", n % 16)).collect(),
                0.2,
            ),
            (
                "two letters",
                "",
                (0..20_000).map(|n| format!("k{:02}-{n:08}", n % 20)).collect(),
                0.3,
            ),
            (
                "chinese",
                "",
                (0..20_000u32)
                    .map(|n| format!("{}x", char::from_u32(0x4e00 + n).unwrap()))
                    .collect(),
                0.6,
            ),
            ("long", "", (0..20_000).map(|n| format!("{}{n:08}", "x".repeat(900))).collect(), 0.5),
        ];
        for (name, prefix, keys, largest) in shapes {
            let (shares, asked) = shares(keys, prefix, 16);
            let most = shares.iter().copied().fold(0.0, f64::max);
            assert!(most <= largest, "{name}: {shares:?}");
            assert!(asked <= 250, "{name}: asked {asked} times");
        }
    }

    #[test]
    fn finds_nothing_where_nothing_differs() {
        let (shares, _) = shares(["only".to_owned()], "", 16);
        assert_eq!(shares.len(), 1);
    }
}
