//! How pages become batches: sizes, prefixes, turns, and what is retried.

use super::*;

#[test]
fn pages_are_cut_anew() {
    let most = usize::MAX;
    let table = [
        (3, most, vec!["a b", "c d e", "f"], vec!["a b c", "d e f"]),
        (1, most, vec!["a b"], vec!["a", "b"]),
        (0, most, vec!["a b"], vec!["a", "b"]),
        (9, most, vec!["a b", ""], vec!["a b"]),
        (9, most, vec!["a b! c d", "!"], vec!["a", "b!", "c d", "!"]),
        (9, 4, vec!["aa bb c", "ddd eeeeee f g"], vec!["aa bb", "c ddd", "eeeeee", "f g"]),
        (9, 0, vec!["a b"], vec!["a", "b"]),
        (2, 4, vec!["a b c dddd"], vec!["a b", "c", "dddd"]),
    ];
    for (size, bytes, pages, batches) in table {
        for mut batcher in [shared(size), per_prefix(size, 1e9, false)] {
            batcher.set_batch_bytes(bytes);
            for page in &pages {
                batcher.push(keys(page), NOW);
            }
            for batch in &batches {
                assert_eq!(sent(&mut batcher, NOW).items, keys(batch), "{pages:?} by {size}");
            }
            assert_eq!(waits(&mut batcher, NOW), None);
        }
    }
}

#[test]
fn what_is_retried_keeps_to_the_size_and_bytes_of_now() {
    let mut batcher = shared(9);
    batcher.push(keys("aaa bbb ccc ddd"), NOW);
    let batch = sent(&mut batcher, NOW);
    batcher.set_batch_bytes(6);
    batcher.finish(&batch.ticket, failed(&batch), NOW, 1.0);
    let due = waits(&mut batcher, NOW).unwrap();
    let first = sent(&mut batcher, due);
    batcher.set_batch_size(1);
    let rest = [sent(&mut batcher, due), sent(&mut batcher, due)];
    assert_eq!(first.items, keys("aaa bbb"));
    assert_eq!([&rest[0].items[..], &rest[1].items[..]], [keys("ccc"), keys("ddd")]);
    assert!(rest.iter().chain([&first]).all(|batch| batch.ticket.tries == 1));
}

#[test]
fn a_batch_touches_one_prefix_and_a_busy_prefix_holds_up_no_other() {
    let mut batcher = per_prefix(2, 1.0, false);
    batcher.push(keys("a/1 a/2 b/1 a/3"), NOW);
    let a = sent(&mut batcher, NOW);
    assert_eq!(a.items, keys("a/1 a/2"));
    assert_eq!(sent(&mut batcher, NOW).items, keys("b/1"));
    assert_eq!(waits(&mut batcher, NOW), None);
    batcher.finish(&a.ticket, deleted(&a), NOW, 0.0);
    assert_eq!(sent(&mut batcher, NOW).items, keys("a/3"));
}

#[test]
fn lanes_that_can_be_served_take_turns_and_one_at_its_limit_loses_no_turn_to_come() {
    let mut batcher = per_prefix(1, 2.0, false);
    batcher.push(keys("a/1 a/2 a/3 a/4 b/1 b/2 c/1 c/2"), NOW);
    let turns = |batcher: &mut Batcher<Key>, count| -> Vec<_> {
        (0..count).map(|_| sent(batcher, NOW)).collect()
    };
    let names = |batches: &[Batch<Key>]| -> String {
        batches.iter().map(|batch| format!("{} ", batch.items[0].0)).collect()
    };
    let first = turns(&mut batcher, 6);
    assert_eq!(names(&first), "a/1 b/1 c/1 a/2 b/2 c/2 ");
    assert_eq!(waits(&mut batcher, NOW), None, "a is at its limit");
    batcher.push(keys("b/3"), NOW);
    for batch in &first {
        batcher.finish(&batch.ticket, deleted(batch), NOW, 0.0);
    }
    assert_eq!(names(&turns(&mut batcher, 3)), "a/3 b/3 a/4 ");
}

#[test]
fn what_failed_comes_again_as_it_was_with_its_tries_counted() {
    let mut batcher = shared(3);
    batcher.push(keys("a b c"), NOW);
    let batch = sent(&mut batcher, NOW);
    let outcome = Outcome { deleted: 1, failed: keys("b c"), ..Outcome::default() };
    batcher.finish(&batch.ticket, outcome, NOW, 1.0);
    batcher.push(keys("d"), NOW);
    assert_eq!(sent(&mut batcher, NOW).items, keys("d"));
    let due = waits(&mut batcher, NOW).unwrap();
    assert_eq!(due, Duration::from_millis(100));
    let again = sent(&mut batcher, due);
    assert_eq!((again.items, again.ticket.tries), (keys("b c"), 1));
}

#[test]
fn what_is_resent_comes_at_once_in_the_new_size() {
    let mut batcher = shared(3);
    batcher.push(keys("a b"), NOW);
    let batch = sent(&mut batcher, NOW);
    batcher.set_batch_size(1);
    let outcome = Outcome { resend: batch.items.clone(), ..Outcome::default() };
    batcher.finish(&batch.ticket, outcome, NOW, 0.0);
    for name in ["a", "b"] {
        let again = sent(&mut batcher, NOW);
        assert_eq!((again.items, again.ticket.tries), (keys(name), 0));
    }
}

#[test]
fn a_throttled_prefix_leaves_the_shared_lane_and_the_others_keep_their_speed() {
    let mut batcher = shared(1);
    batcher.push(keys("a/1 a/2 b/1 b/2"), NOW);
    let batch = sent(&mut batcher, NOW);
    batcher.finish(&batch.ticket, throttled(&batch), NOW, 1.0);
    assert_eq!(sent(&mut batcher, NOW).items, keys("b/1"));
    assert_eq!(sent(&mut batcher, NOW).items, keys("a/2"), "it is paced, not stopped");
    assert_eq!(sent(&mut batcher, NOW).items, keys("b/2"));
    let due = waits(&mut batcher, NOW).unwrap();
    let again = sent(&mut batcher, due);
    assert_eq!(
        (again.items, again.ticket.tries),
        (keys("a/1"), 0),
        "a throttled try does not count"
    );
}

#[test]
fn a_batch_that_is_throttled_for_several_prefixes_gives_each_its_own_lane() {
    let mut batcher = shared(4);
    batcher.push(keys("a/1 b/1 a/2 c/1"), NOW);
    let batch = sent(&mut batcher, NOW);
    let outcome = Outcome { deleted: 1, throttled: keys("a/1 b/1 a/2"), ..Outcome::default() };
    batcher.finish(&batch.ticket, outcome, NOW, 0.0);
    let due = waits(&mut batcher, NOW).unwrap();
    let again = [sent(&mut batcher, due).items, sent(&mut batcher, due).items];
    assert_eq!(again, [keys("a/1 a/2"), keys("b/1")]);
}

#[test]
fn what_is_cleared_is_all_that_was_not_sent() {
    let mut batcher = shared(1);
    batcher.push(keys("a/1 b/1 c/1 a/2 d/1"), NOW);
    let batches = [sent(&mut batcher, NOW), sent(&mut batcher, NOW), sent(&mut batcher, NOW)];
    batcher.finish(&batches[0].ticket, throttled(&batches[0]), NOW, 0.5);
    batcher.finish(&batches[1].ticket, failed(&batches[1]), NOW, 0.5);
    let mut left: Vec<_> = batcher.clear().into_iter().map(|key| key.0).collect();
    left.sort();
    assert_eq!(left, ["a/1", "a/2", "b/1", "d/1"]);
    assert_eq!(batcher.clear(), []);
    batcher.push(keys("e/1"), NOW);
    assert_eq!(sent(&mut batcher, NOW).items, keys("e/1"), "it goes on");
}
