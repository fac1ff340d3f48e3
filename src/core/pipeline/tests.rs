//! Tables of what a pipeline answers.

use super::*;

fn pipeline(window: f64, execution: f64, per_key: f64) -> Pipeline {
    let [window, execution, per_key] =
        [window, execution, per_key].map(|n| Limit::from_f64(n).unwrap());
    Pipeline::new(Bounds { window, execution, per_key })
}

fn answer(start: Option<Slot>, pull: bool, done: bool) -> Answer {
    Answer { start, pull, done }
}

#[test]
fn pulls_to_the_window_and_starts_to_the_limit() {
    let mut run = pipeline(3.0, 1.0, 1.0);
    assert_eq!(run.begin(), answer(None, true, false));
    assert_eq!(run.pulled(), (0, answer(Some(0), true, false)));
    assert_eq!(run.pulled(), (1, answer(None, true, false)));
    assert_eq!(run.pulled(), (2, answer(None, false, false)));
    assert_eq!(run.finished(0, true), answer(Some(1), true, false));
    assert_eq!(run.source_ended(), answer(None, false, false));
    assert_eq!(run.finished(1, false), answer(Some(2), false, false));
    assert_eq!(run.finished(2, true), answer(None, false, true));
    assert_eq!(run.counts(), Counts { pulled: 3, running: 0, done: 2, failed: 1 });
}

#[test]
fn a_busy_key_does_not_hold_up_others() {
    let mut run = pipeline(4.0, 2.0, 1.0);
    run.begin();
    assert_eq!(run.pulled_keyed(&[1]), (0, answer(Some(0), true, false)));
    assert_eq!(run.pulled_keyed(&[1]), (1, answer(None, true, false)));
    assert_eq!(run.pulled_keyed(&[2]), (2, answer(Some(2), true, false)));
    assert_eq!(run.finished(0, true), answer(Some(1), false, false));
    assert_eq!(run.keys.len(), 2);
    run.source_ended();
    run.finished(1, true);
    assert_eq!(run.finished(2, true), answer(None, false, true));
    assert!(run.keys.is_empty());
}

#[test]
fn a_gated_task_starts_when_opened() {
    let mut run = pipeline(2.0, 1.0, 1.0);
    run.begin();
    assert_eq!(run.pulled_gated(), (0, answer(None, true, false)));
    assert_eq!(run.pulled(), (1, answer(Some(1), false, false)));
    assert_eq!(run.opened(0), answer(None, false, false));
    assert_eq!(run.finished(1, true), answer(Some(0), true, false));
}

#[test]
fn an_abort_drops_what_waits_and_ends_with_what_runs() {
    let mut run = pipeline(9.0, 1.0, 1.0);
    run.begin();
    run.pulled();
    run.pulled();
    run.pulled_keyed(&[1]);
    assert_eq!(run.abort(), answer(None, false, false));
    assert_eq!(run.finished(0, true), answer(None, false, true));
    assert_eq!(run.counts(), Counts { pulled: 3, running: 0, done: 1, failed: 0 });
}

fn giving_results(window: f64, execution: f64, order: Order) -> Pipeline {
    let [window, execution] = [window, execution].map(|n| Limit::from_f64(n).unwrap());
    Pipeline::giving_results(Bounds { window, execution, per_key: Limit::UNLIMITED }, order)
}

#[test]
fn a_result_that_waits_counts_as_in_flight_but_not_as_running() {
    let mut run = giving_results(2.0, 1.0, Order::Source);
    run.begin();
    assert_eq!(run.pulled(), (0, answer(Some(0), true, false)));
    assert_eq!(run.pulled(), (1, answer(None, false, false)));
    assert_eq!(run.settled(0, true), answer(Some(1), false, false));
    assert_eq!(run.settled(1, true), answer(None, false, false));
    assert_eq!(run.take(), Some((0, answer(None, true, false))));
    assert_eq!(run.source_ended(), answer(None, false, false));
    assert_eq!(run.take(), Some((1, answer(None, false, true))));
    assert_eq!(run.take(), None);
}

#[test]
fn results_come_in_the_order_asked_for() {
    for (order, expected) in [(Order::Source, [0, 1, 2]), (Order::Completion, [2, 0, 1])] {
        let mut run = giving_results(3.0, 3.0, order);
        run.begin();
        for _ in 0..3 {
            run.pulled();
        }
        run.settled(2, true);
        assert_eq!(run.take().is_some(), order == Order::Completion);
        run.settled(0, false);
        run.settled(1, true);
        let taken: Vec<_> = std::iter::from_fn(|| run.take()).map(|(slot, _)| slot).collect();
        assert_eq!(taken, expected[3 - taken.len()..]);
    }
}

#[test]
fn a_task_without_a_result_is_passed_over() {
    let mut run = giving_results(2.0, 2.0, Order::Source);
    run.begin();
    run.pulled();
    run.pulled();
    run.settled(1, true);
    assert_eq!(run.take(), None);
    assert_eq!(run.finished(0, false), answer(None, true, false));
    assert_eq!(run.take().map(|(slot, _)| slot), Some(1));
}

#[test]
fn results_outlast_an_abort() {
    let mut run = giving_results(3.0, 2.0, Order::Source);
    run.begin();
    for _ in 0..3 {
        run.pulled();
    }
    run.settled(0, true);
    run.abort();
    assert_eq!(run.settled(1, false), answer(None, false, false));
    assert_eq!(run.settled(2, true), answer(None, false, true));
    assert_eq!(run.take().map(|(slot, _)| slot), Some(0));
}

#[test]
fn an_empty_source_is_done_at_once() {
    let mut run = pipeline(1.0, 1.0, 1.0);
    run.begin();
    assert_eq!(run.source_ended(), answer(None, false, true));
}
