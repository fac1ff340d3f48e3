use super::range::MOST_EMPTY;
use std::collections::VecDeque;

use super::*;

#[test]
fn a_range_is_cut_where_much_is_to_come() {
    // While no range has ended, four pages show that a range is large.
    // After ranges of ten pages ended: a range that has just begun has most to come, one of nearly ten pages is about to end, and
    // one of more than ten is larger.
    let table = [
        (0, [(1, false), (3, false), (4, true)].as_slice()),
        (1, &[(1, false), (3, false), (4, true)]),
        (6, &[(1, true), (2, true), (3, false), (6, false), (7, true)]),
        (10, &[(1, true), (6, true), (7, false), (10, false), (11, true)]),
    ];
    for (typical, pages) in table {
        for (pages, expected) in pages {
            assert_eq!(is_large(*pages, typical), *expected, "{pages} of {typical}");
        }
    }
}

/// How a store answers.
#[derive(Clone, Copy, Debug, Default)]
struct Store {
    /// Its order is not that of bytes: keys are sorted by this part of them.
    order: Option<fn(&str) -> String>,
    ignores_after: bool,
    doubles: bool,
}

/// What it lists: names the keys of each page.
struct Listed {
    keys: Vec<String>,
    store: Store,
    size: usize,
}

impl Listed {
    fn new(keys: impl IntoIterator<Item = String>, store: Store, size: usize) -> Self {
        let mut keys: Vec<String> = keys.into_iter().collect();
        keys.sort_by_key(|key| store.rank(key));
        Self { keys, store, size }
    }

    fn page(&self, next: &Next) -> Listing {
        let from = match &next.place {
            Some(Place::Token(at)) => at.parse().unwrap(),
            _ if self.store.ignores_after || next.after.is_empty() => 0,
            _ => {
                let after = self.store.rank(&next.after);
                self.keys.partition_point(|key| self.store.rank(key) <= after)
            }
        };
        let to = (from + self.size).min(self.keys.len());
        let object = |key: &String| Object { key: key.clone(), ..Object::default() };
        let times = if self.store.doubles { 2 } else { 1 };
        let objects = self.keys[from..to].iter();
        let objects = objects.flat_map(|key| std::iter::repeat_n(object(key), times)).collect();
        let next = (to < self.keys.len()).then(|| Place::Token(to.to_string()));
        Listing { objects, next, ..Listing::default() }
    }
}

impl Store {
    fn rank(self, key: &str) -> String {
        self.order.map_or_else(|| key.to_owned(), |order| order(key))
    }
}

/// All keys that come, in the order in which they do. Pages are answered in an order that `seed` chooses, and the first range
/// is cut at these places after its first page.
fn list(listed: &Listed, cuts: &[&str], seed: u64) -> Result<Vec<String>, String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut ranges = Ranges::new(String::new(), 4, true);
    let mut asked = VecDeque::new();
    let mut found = Vec::new();
    let mut cuts = Some(cuts.iter().map(|cut| (*cut).to_owned()).collect::<Vec<_>>());
    while !ranges.is_over() {
        while let Some(next) = ranges.next() {
            // Pages are answered in another order than they are asked for.
            let page = listed.page(&next);
            asked.push_back((next.number, page));
        }
        if let Some(candidate) = ranges.candidate() {
            ranges.cut(candidate.number, Ok(cuts.take().unwrap_or_default()));
            continue;
        }
        assert!(!asked.is_empty(), "nothing is under way");
        let (number, page) = asked.remove(random.usize(..asked.len())).unwrap();
        found.extend(ranges.take(number, page)?.into_iter().map(|object| object.key));
    }
    Ok(found)
}

fn numbers() -> impl Iterator<Item = String> {
    (0..200).map(|n| format!("{n:03}"))
}

#[test]
fn each_key_comes_once_however_ranges_are_cut() {
    let stores = [
        Store::default(),
        Store { ignores_after: true, ..Store::default() },
        Store { doubles: true, ..Store::default() },
    ];
    let cuts: [&[&str]; 6] = [
        &["050", "100", "150"],
        &["020", "020x", "020y", "020z", "120"],
        &["0505", "199", "199x", "2"],
        &["1"],
        &["010", "011", "012", "013"],
        &[],
    ];
    for store in stores {
        for cuts in cuts {
            for (seed, size) in (0..10).flat_map(|seed| [(seed, 3), (seed, 7), (seed, 1000)]) {
                let mut found = list(&Listed::new(numbers(), store, size), cuts, seed).unwrap();
                found.sort();
                assert!(found.into_iter().eq(numbers()), "{store:?} {cuts:?} {seed} {size}");
            }
        }
    }
}

#[test]
fn a_store_that_lists_in_another_order_loses_no_key_in_silence() {
    // These stores ignore the case of letters, put short numbers first, or sort keys by their ends.
    let orders: [fn(&str) -> String; 3] = [
        |key| key.to_lowercase(),
        |key| format!("{}{}", &key[1..], &key[..1]),
        |key| key.chars().rev().collect(),
    ];
    let keys = || {
        let keys = (0..200).map(|n| format!("{}{n:03}", ["a", "b", "B", "x"][n / 50]));
        let mut keys: Vec<String> = keys.collect();
        keys.sort();
        keys
    };
    let mut refused = 0;
    for order in orders {
        let store = Store { order: Some(order), ..Store::default() };
        for cuts in [["a020", "b060", "x150"].as_slice(), &["b060"], &["a0200", "b", "c", "x155"]] {
            for (seed, size) in (0..10).flat_map(|seed| [(seed, 1), (seed, 5), (seed, 17)]) {
                match list(&Listed::new(keys(), store, size), cuts, seed) {
                    Ok(mut found) => {
                        found.sort();
                        assert_eq!(found, keys(), "{cuts:?} {seed} {size}");
                    }
                    Err(what) => {
                        assert!(what.contains("another order"), "{what}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn keys_before_the_beginning_are_left_out_wherever_the_store_begins() {
    let mut ranges = Ranges::new("100".to_owned(), 1, true);
    let listed = Listed::new(numbers(), Store { ignores_after: true, ..Store::default() }, 7);
    let mut found = Vec::new();
    while let Some(next) = ranges.next() {
        found.extend(
            ranges.take(next.number, listed.page(&next)).unwrap().into_iter().map(|o| o.key),
        );
    }
    assert!(ranges.is_over());
    assert!(found.into_iter().eq(numbers().skip(101)));
}

#[test]
fn a_store_that_does_not_answer_small_questions_is_listed_as_it_is() {
    for (is_final, asked) in [(true, 1), (false, MOST_FAILURES)] {
        let mut ranges = Ranges::new(String::new(), 8, true);
        let mut failures = 0;
        let listed = Listed::new(numbers(), Store::default(), 2);
        while let Some(next) = ranges.next() {
            ranges.take(next.number, listed.page(&next)).unwrap();
            if let Some(candidate) = ranges.candidate() {
                failures += 1;
                ranges.cut(candidate.number, Err(is_final));
            }
        }
        assert!(ranges.is_over());
        assert_eq!(failures, asked);
    }
}

#[test]
fn a_circle_is_found_out_before_anything_of_its_page_is_used() {
    for length in 1..9 {
        let mut ranges = Ranges::new(String::new(), 1, true);
        let mut pages = 0;
        let what = loop {
            let next = ranges.next().unwrap();
            let place = Place::Token((pages % length).to_string());
            match ranges.take(next.number, Listing { next: Some(place), ..Listing::default() }) {
                Ok(_) => pages += 1,
                Err(what) => break what,
            }
        };
        assert!(what.contains("begins where"), "{what}");
        assert!(pages <= 4 * length, "{pages} pages of {length}");
    }
}

#[test]
fn pages_that_come_again_behind_new_places_are_found_out() {
    for length in 1..9 {
        let mut ranges = Ranges::new(String::new(), 1, true);
        let mut pages = 0;
        let what = loop {
            let next = ranges.next().unwrap();
            let key = format!("{:02}", pages % length);
            let objects = vec![Object { key, ..Object::default() }];
            let place = Some(Place::Token(pages.to_string()));
            match ranges.take(next.number, Listing { objects, next: place, ..Listing::default() }) {
                Ok(_) => pages += 1,
                Err(what) => break what,
            }
            assert!(pages <= 4 * length, "{pages} pages of {length}");
        };
        assert!(what.contains("again on a later page"), "{what}");
    }
}

#[test]
fn empty_pages_behind_new_places_end_a_listing_once_there_are_too_many() {
    let mut ranges = Ranges::new(String::new(), 1, true);
    let mut page = |number: u32, objects: Vec<Object>, is_last: bool| {
        let next = ranges.next().unwrap();
        let place = (!is_last).then(|| Place::Token(number.to_string()));
        ranges.take(next.number, Listing { objects, next: place, ..Listing::default() })
    };
    let key = |key: &str| vec![Object { key: key.to_owned(), ..Object::default() }];
    for number in 0..MOST_EMPTY {
        assert!(page(number, Vec::new(), false).is_ok());
    }
    assert!(page(MOST_EMPTY, key("a"), false).is_ok(), "an object begins the count anew");
    for number in MOST_EMPTY + 1..=2 * MOST_EMPTY {
        assert!(page(number, Vec::new(), false).is_ok());
    }
    let what = page(3 * MOST_EMPTY, Vec::new(), false).unwrap_err();
    assert!(what.contains("empty pages without an end"), "{what}");
}

#[test]
fn versions_of_a_key_come_once_where_a_page_begins_with_them_again() {
    let pages: [(&[&str], &[&str]); 4] = [
        (&["a@1", "b@1", "b@2"], &["a@1", "b@1", "b@2"]),
        (&["b@1", "b@3"], &["b@3"]),
        (&["b@1", "b@2", "b@3", "c@1"], &["c@1"]),
        (&["c@2", "c@1", "d@1"], &["c@2", "d@1"]),
    ];
    let mut ranges = Ranges::new(String::new(), 1, true);
    for (number, (page, expected)) in pages.into_iter().enumerate() {
        let Next { number: range, .. } = ranges.next().unwrap();
        let object = |name: &&str| {
            let (key, version) = name.split_once('@').unwrap();
            Object { key: key.to_owned(), version: Some(version.to_owned()), ..Object::default() }
        };
        let next = Some(Place::Token(number.to_string()));
        let listing =
            Listing { objects: page.iter().map(object).collect(), next, ..Listing::default() };
        let found = ranges.take(range, listing).unwrap();
        let names: Vec<_> =
            found.iter().map(|o| format!("{}@{}", o.key, o.version.as_ref().unwrap())).collect();
        assert_eq!(names, expected);
    }
}

#[test]
fn a_key_that_two_ranges_found_comes_once_though_it_is_deleted_before_the_one_between_them_looks() {
    let mut ranges = Ranges::new(String::new(), 8, true);
    let page = |ranges: &mut Ranges, number, keys: &[&str], next: Option<&str>| {
        let object = |key: &&str| Object { key: (*key).to_owned(), ..Object::default() };
        let next = next.map(|token| Place::Token(token.to_owned()));
        let listing =
            Listing { objects: keys.iter().map(object).collect(), next, ..Listing::default() };
        let found = ranges.take(number, listing).unwrap();
        found.into_iter().map(|object| object.key).collect::<Vec<_>>()
    };
    let ask = |ranges: &mut Ranges| std::iter::from_fn(|| ranges.next()).count();
    ask(&mut ranges);
    assert_eq!(page(&mut ranges, 0, &["a"], Some("1")), ["a"]);
    ranges.cut(0, Ok(vec!["m".to_owned()]));
    ask(&mut ranges);
    assert_eq!(page(&mut ranges, 1, &["x1", "x2"], None), ["x1", "x2"]);
    ranges.cut(0, Ok(vec!["f".to_owned()]));
    ask(&mut ranges);
    assert_eq!(page(&mut ranges, 0, &["e", "x1"], Some("2")), ["e"]);
    assert!(page(&mut ranges, 2, &["x2"], None).is_empty());
    assert!(ranges.is_over());
}
