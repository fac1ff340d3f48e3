//! What a lane waits for: no state is without its wake-up, no permit is kept for nothing, and no wait lasts longer than the
//! patience.

use super::*;

/// The last wake-up before `batcher` has something to send.
fn next_batch(batcher: &mut Batcher<Key>, now: Moment) -> (Batch<Key>, Moment) {
    let mut now = now;
    loop {
        match batcher.next(now) {
            Next::Send(batch) => return (batch, now),
            Next::Wait(Some(due)) if due > now => now = due,
            other => panic!("{other:?} while something is pending"),
        }
    }
}

#[test]
fn what_failed_near_the_end_is_retried_though_all_else_moved_to_the_lane_of_a_throttled_prefix() {
    for (first, second) in [("a/1", "b/1"), ("b/1", "a/1")] {
        let mut batcher = shared(1);
        batcher.push(keys(&format!("{first} {second} {first}2 {first}3")), NOW);
        let (slow, faulty) = (sent(&mut batcher, NOW), sent(&mut batcher, NOW));
        batcher.finish(&slow.ticket, throttled(&slow), NOW, 0.5);
        batcher.finish(&faulty.ticket, failed(&faulty), NOW, 0.5);
        let (mut now, mut order) = (NOW, Vec::new());
        for _ in 0..4 {
            let (batch, at) = next_batch(&mut batcher, now);
            batcher.finish(&batch.ticket, deleted(&batch), at, 0.5);
            order.push(batch.items[0].0.clone());
            now = at;
        }
        order.sort();
        let mut expected =
            [first.to_owned(), second.to_owned(), format!("{first}2"), format!("{first}3")];
        expected.sort();
        assert_eq!(order, expected);
        assert!(now < Duration::from_secs(5), "it took {now:?}");
    }
}

#[test]
fn throttling_without_end_is_given_up_as_a_whole() {
    for mut batcher in [shared(1), per_prefix(1, 1.0, false)] {
        batcher.push(keys("a/1 a/2 a/3"), NOW);
        let mut now = NOW;
        let given_up = loop {
            let (batch, at) = next_batch(&mut batcher, now);
            let given_up = batcher.finish(&batch.ticket, throttled(&batch), at, 0.5);
            now = at;
            if !given_up.is_empty() {
                break given_up;
            }
        };
        assert_eq!(given_up.len(), 3, "{given_up:?}");
        assert!(now >= PATIENCE && now < PATIENCE * 2, "{now:?}");
        assert_eq!(batcher.clear(), []);
        batcher.push(keys("b/1"), now);
        assert_eq!(next_batch(&mut batcher, now).0.items, keys("b/1"), "others go on");
    }
}

#[test]
fn throttled_items_and_their_lane_wait_as_long_as_the_store_says_but_not_past_the_patience() {
    let seconds = Duration::from_secs;
    let table = [
        (None, Duration::from_millis(50)),
        (Some(Duration::ZERO), Duration::from_millis(50)),
        (Some(seconds(7)), seconds(7)),
        (Some(seconds(86_400)), PATIENCE),
        (Some(Duration::MAX), PATIENCE),
    ];
    for (retry_after, due) in table {
        let mut batcher = per_prefix(1, 1.0, false);
        batcher.push(keys("a/1 a/2"), NOW);
        let batch = sent(&mut batcher, NOW);
        let outcome = Outcome { retry_after, ..throttled(&batch) };
        batcher.finish(&batch.ticket, outcome, NOW, 0.0);
        if retry_after.is_some_and(|wait| wait > Duration::ZERO) {
            assert_eq!(waits(&mut batcher, NOW), Some(due), "{retry_after:?} holds the lane");
        } else {
            assert_eq!(sent(&mut batcher, NOW).items, keys("a/2"), "it is paced, not stopped");
            continue;
        }
        let again = sent(&mut batcher, due);
        assert_eq!(again.items, keys("a/1"), "{retry_after:?}");
        let given_up = batcher.finish(&again.ticket, throttled(&again), due, 0.0);
        assert_eq!(given_up.len(), if due == PATIENCE { 2 } else { 0 }, "{retry_after:?}");
    }
}

#[test]
fn patience_without_end_overflows_nothing() {
    let plan = Plan {
        grouping: Grouping::Shared(slash()),
        batch_size: 1,
        batch_bytes: usize::MAX,
        patience: Duration::MAX,
    };
    let mut batcher = Batcher::new(plan);
    let now = Duration::from_secs(1);
    batcher.push(keys("a/1"), now);
    let batch = sent(&mut batcher, now);
    let outcome = Outcome { retry_after: Some(Duration::from_secs(3600)), ..throttled(&batch) };
    assert_eq!(batcher.finish(&batch.ticket, outcome, now, 0.5), []);
    assert_eq!(waits(&mut batcher, now), Some(Duration::from_secs(3601)));
}

#[test]
fn time_that_runs_backwards_stands_still() {
    let mut batcher = shared(1);
    let (late, early) = (Duration::from_secs(9), Duration::from_secs(1));
    batcher.push(keys("a/1"), late);
    let batch = sent(&mut batcher, early);
    batcher.finish(&batch.ticket, throttled(&batch), early, 1.0);
    let due = waits(&mut batcher, early).unwrap();
    assert_eq!(due, late + Duration::from_millis(100));
    assert_eq!(sent(&mut batcher, due).items, keys("a/1"));
}

#[test]
fn a_gated_batch_waits_for_its_permit_and_uses_it_up() {
    let mut batcher = per_prefix(1, 2.0, true);
    batcher.push(keys("a/1 a/2"), NOW);
    let Next::Ask(lane, prefix) = batcher.next(NOW) else { panic!("it did not ask") };
    assert_eq!(*prefix, *b"a/");
    assert_eq!(waits(&mut batcher, NOW), None);
    batcher.opened(lane);
    assert_eq!(sent(&mut batcher, NOW).items, keys("a/1"));
    assert_eq!(asked(&mut batcher, NOW), lane);
}

#[test]
fn what_is_resent_or_retried_asks_for_a_permit_of_its_own() {
    let mut batcher = per_prefix(1, 1.0, true);
    batcher.push(keys("a/1"), NOW);
    let lane = asked(&mut batcher, NOW);
    batcher.opened(lane);
    let batch = sent(&mut batcher, NOW);
    let outcome = Outcome { resend: batch.items.clone(), ..Outcome::default() };
    batcher.finish(&batch.ticket, outcome, NOW, 0.0);
    assert_eq!(asked(&mut batcher, NOW), lane);
    batcher.opened(lane);
    let batch = sent(&mut batcher, NOW);
    batcher.finish(&batch.ticket, failed(&batch), NOW, 0.0);
    let due = waits(&mut batcher, NOW).unwrap();
    assert_eq!(asked(&mut batcher, due), lane, "only when it can use it");
}

#[test]
fn a_permit_that_comes_when_its_prefix_was_slowed_down_is_freed_and_asked_for_again() {
    let mut batcher = per_prefix(1, 2.0, true);
    batcher.push(keys("a/1 a/2"), NOW);
    let lane = asked(&mut batcher, NOW);
    batcher.opened(lane);
    let batch = sent(&mut batcher, NOW);
    assert_eq!(asked(&mut batcher, NOW), lane);
    let retry_after = Some(Duration::from_secs(5));
    let outcome = Outcome { retry_after, ..throttled(&batch) };
    batcher.finish(&batch.ticket, outcome, NOW, 0.5);
    assert_eq!(waits(&mut batcher, NOW), None, "the permit was asked for");
    batcher.opened(lane);
    assert_eq!(released(&mut batcher, NOW), lane);
    let due = waits(&mut batcher, NOW).unwrap();
    assert_eq!(due, Duration::from_secs(5));
    assert_eq!(asked(&mut batcher, due), lane);
}

#[test]
fn a_permit_for_what_was_cleared_or_given_up_is_freed() {
    let mut batcher = per_prefix(1, 2.0, true);
    batcher.push(keys("a/1 b/1 c/1"), NOW);
    let lanes = [(); 3].map(|()| asked(&mut batcher, NOW));
    batcher.opened(lanes[0]);
    let batch = sent(&mut batcher, NOW);
    batcher.opened(lanes[1]);
    assert_eq!(batcher.clear(), keys("b/1 c/1"));
    batcher.opened(lanes[2]);
    batcher.opened(77);
    assert_eq!([(); 3].map(|()| released(&mut batcher, NOW)), [lanes[1], lanes[2], 77]);
    assert_eq!(waits(&mut batcher, NOW), None);
    batcher.finish(&batch.ticket, deleted(&batch), NOW, 0.0);
    batcher.push(keys("b/2"), NOW);
    assert_ne!(asked(&mut batcher, NOW), lanes[1], "the old lane is not kept");
}
