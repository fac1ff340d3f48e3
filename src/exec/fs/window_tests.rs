//! Histories of a window: tables for the promises, and random ones for what must hold after each.

use super::*;
use proptest::prelude::*;

const SECOND: Duration = Duration::from_secs(1);

fn window(order: Order, max_files: f64, max_bytes: u64) -> Window {
    let max_files = Limit::from_f64(max_files).unwrap();
    Window::new(Bounds { order, max_files, max_bytes, timeout: Some(SECOND) })
}

fn admit(window: &mut Window, count: usize) {
    (0..count).for_each(|n| window.admit(PathBuf::from(n.to_string())));
}

fn known(size: u64) -> Known {
    Known { size, special: None }
}

fn data(size: usize) -> Result<Vec<u8>, Failure> {
    Ok(vec![1; size])
}

fn assert_empty(window: &Window) {
    let counts = (window.bytes, window.settled, window.settled_bytes, window.reading.len());
    assert_eq!(counts, (0, 0, 0, 0));
    assert!(window.waiting.is_empty() && window.files.iter().all(Option::is_none));
    assert!(!window.full && window.settled_since.is_none());
}

#[test]
fn a_file_that_timed_out_between_claim_and_reserve_leaks_nothing() {
    let now = Instant::now();
    let mut window = window(Order::Completion, 1.0, 100);
    admit(&mut window, 1);
    let late = window.claim(now).unwrap();
    window.expire(now + SECOND);
    assert_eq!(window.reserve(&late, known(90)), Reservation::Void);
    assert_eq!(window.take(now).len(), 1);
    // The slot is the next file's by now.
    admit(&mut window, 1);
    let next = window.claim(now).unwrap();
    assert_eq!((late.slot, window.holds(&late)), (next.slot, false));
    assert_eq!(window.reserve(&late, known(90)), Reservation::Void);
    assert!(window.settle(&late, data(90), now).is_err());
    assert_eq!(window.reserve(&next, known(80)), Reservation::Granted);
    assert_eq!(window.bytes, 80);
    window.settle(&next, data(80), now).unwrap();
    assert_eq!(window.take(now)[0].result, data(80));
    window.end();
    assert!(window.is_over());
    assert_empty(&window);
}

#[test]
fn a_claim_that_was_put_back_has_no_effect_on_the_next_claim_of_its_file() {
    let now = Instant::now();
    let mut window = window(Order::Source, 9.0, 100);
    admit(&mut window, 2);
    let first = window.claim(now).unwrap();
    let old = window.claim(now).unwrap();
    assert_eq!(window.reserve(&first, known(60)), Reservation::Granted);
    assert_eq!(window.reserve(&old, known(60)), Reservation::PutBack);
    assert!(window.claim(now).is_none());
    window.settle(&first, data(60), now).unwrap();
    assert_eq!(window.take(now).len(), 1);
    let again = window.claim(now).unwrap();
    assert_eq!(again.known.map(|known| known.size), Some(60));
    assert!(window.settle(&old, data(1), now).is_err());
    assert_eq!(window.reserve(&old, known(60)), Reservation::Void);
    assert_eq!(window.reserve(&again, known(60)), Reservation::Granted);
    window.settle(&again, data(60), now).unwrap();
    assert_eq!(window.take(now)[0].result, data(60));
    assert_empty(&window);
}

#[test]
fn a_file_that_is_put_back_when_it_wants_more_keeps_nothing() {
    let now = Instant::now();
    let mut window = window(Order::Completion, 9.0, 100);
    admit(&mut window, 2);
    let (first, second) = (window.claim(now).unwrap(), window.claim(now).unwrap());
    assert_eq!(window.reserve(&first, known(50)), Reservation::Granted);
    assert_eq!(window.reserve(&second, known(50)), Reservation::Granted);
    assert_eq!(window.reserve(&second, known(60)), Reservation::PutBack);
    assert_eq!(window.bytes, 50);
}

#[test]
fn a_later_file_that_is_put_back_does_not_stand_before_the_one_that_is_needed_next() {
    let now = Instant::now();
    let mut window = window(Order::Source, 9.0, 1);
    admit(&mut window, 3);
    let [first, second, third] = [(); 3].map(|()| window.claim(now).unwrap());
    assert_eq!(window.reserve(&second, known(9)), Reservation::PutBack);
    window.settle(&first, data(1), now).unwrap();
    assert_eq!(window.take(now).len(), 1);
    assert_eq!(window.reserve(&third, known(9)), Reservation::PutBack);
    let again = window.claim(now).expect("the consumer needs it");
    assert_eq!(window.reserve(&again, known(9)), Reservation::Granted);
    assert!(window.claim(now).is_none());
}

#[test]
fn nothing_settles_after_a_cancel() {
    let now = Instant::now();
    let mut window = window(Order::Source, 9.0, 100);
    admit(&mut window, 3);
    let claims = [window.claim(now).unwrap(), window.claim(now).unwrap()];
    assert_eq!(window.reserve(&claims[0], known(60)), Reservation::Granted);
    drop(window.cancel());
    window.expire(now + SECOND);
    for claim in &claims {
        assert_eq!(window.reserve(claim, known(60)), Reservation::Void);
        assert!(window.settle(claim, data(60), now).is_err());
    }
    admit(&mut window, 1);
    assert!(window.is_over() && window.is_idle() && window.claim(now).is_none());
    assert_eq!(window.room(), 0);
    assert_empty(&window);
}

#[test]
fn the_time_of_a_file_that_was_put_back_starts_anew() {
    let now = Instant::now();
    let mut window = window(Order::Source, 9.0, 10);
    admit(&mut window, 2);
    let (first, second) = (window.claim(now).unwrap(), window.claim(now).unwrap());
    assert_eq!(window.reserve(&second, known(20)), Reservation::PutBack);
    window.settle(&first, data(0), now).unwrap();
    window.take(now);
    let again = window.claim(now + SECOND).unwrap();
    window.expire(now + SECOND);
    assert!(window.holds(&again) && !window.holds(&second));
    window.expire(now + 2 * SECOND);
    assert!(!window.holds(&again));
}

#[test]
fn outcomes_are_worth_a_crossing_when_nothing_else_comes_or_after_a_moment() {
    let now = Instant::now();
    let mut window = window(Order::Completion, 9.0, 100);
    admit(&mut window, 2);
    let (first, second) = (window.claim(now).unwrap(), window.claim(now).unwrap());
    window.settle(&first, data(1), now).unwrap();
    assert!(!window.is_worth_taking(now) && window.is_worth_taking(now + MOMENT));
    window.settle(&second, data(1), now).unwrap();
    assert!(window.is_worth_taking(now));
}

#[derive(Clone, Debug)]
enum Event {
    Admit,
    Claim,
    /// With the number of the claim among all that were ever made, and the size.
    Reserve(usize, u64),
    /// The same; the size that was read, or a failure.
    Settle(usize, Option<u64>),
    Wait(u64),
    Take,
    Cancel,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => Just(Event::Admit),
        4 => Just(Event::Claim),
        4 => (any::<usize>(), 0..150u64).prop_map(|(claim, size)| Event::Reserve(claim, size)),
        4 => (any::<usize>(), proptest::option::of(0..200u64)).prop_map(|(claim, size)| Event::Settle(claim, size)),
        2 => (0..700u64).prop_map(Event::Wait),
        2 => Just(Event::Take),
        1 => Just(Event::Cancel),
    ]
}

struct History {
    window: Window,
    now: Instant,
    claims: Vec<Claim>,
    seen: Vec<u64>,
    order: Order,
}

impl History {
    fn take(&mut self) -> usize {
        let outcomes = self.window.take(self.now);
        self.seen.extend(outcomes.iter().map(|outcome| outcome.index));
        outcomes.len()
    }

    fn happen(&mut self, event: Event, cancels: bool) {
        let now = self.now;
        match event {
            Event::Admit if self.window.room() > 0 => admit(&mut self.window, 1),
            Event::Claim => self.claims.extend(self.window.claim(now)),
            Event::Reserve(n, size) if !self.claims.is_empty() => {
                let claim = &self.claims[n % self.claims.len()];
                let held = self.window.holds(claim);
                let became = self.window.reserve(claim, known(size));
                assert_eq!(held, became != Reservation::Void);
            }
            Event::Settle(n, size) if !self.claims.is_empty() => {
                let claim = &self.claims[n % self.claims.len()];
                let held = self.window.holds(claim);
                let result = size.map_or(Err(Failure::TooLarge(1)), |size| data(size as usize));
                assert_eq!(held, self.window.settle(claim, result, now).is_ok());
                assert!(!self.window.holds(claim));
            }
            Event::Wait(ms) => {
                self.now += Duration::from_millis(ms);
                self.window.expire(self.now);
            }
            Event::Take => drop(self.take()),
            Event::Cancel if cancels => drop(self.window.cancel()),
            _ => {}
        }
        self.check();
    }

    fn check(&self) {
        let window = &self.window;
        let files = || window.files.iter().flatten();
        assert_eq!(window.bytes, files().map(|file| file.bytes).sum::<u64>());
        let settled = files().filter(|file| file.result.is_some()).count();
        assert_eq!(window.settled, settled);
        let places = window.waiting.len() + window.reading.len() + settled;
        assert_eq!(files().count(), places, "each file is in one place");
        assert_eq!(window.admitted - window.taken, places as u64);
    }

    /// Readers and the consumer do their part until all is over; it must come to that.
    fn finish(mut self) {
        self.window.end();
        while !self.window.is_over() {
            let mut moved = self.take() > 0;
            while let Some(claim) = self.window.claim(self.now) {
                if self.window.reserve(&claim, known(120)) == Reservation::Granted {
                    self.window.settle(&claim, data(120), self.now).unwrap();
                    moved = true;
                }
                self.check();
            }
            if !moved {
                // Readers that never come back.
                assert!(!self.window.reading.is_empty(), "neither side can go on");
                self.now += SECOND;
                self.window.expire(self.now);
            }
        }
        assert_empty(&self.window);
        if self.order == Order::Completion {
            self.seen.sort_unstable();
        }
        let admitted = self.window.admitted;
        assert!(self.window.cancelled || self.seen == (0..admitted).collect::<Vec<_>>());
    }
}

proptest! {
    #[test]
    fn every_history_ends_with_each_file_once_and_nothing_held(
        events in proptest::collection::vec(event(), 0..200),
        ordered in any::<bool>(),
        cancels in any::<bool>(),
        files in 1..8u32,
        max_bytes in 1..200u64,
    ) {
        let order = if ordered { Order::Source } else { Order::Completion };
        let window = window(order, f64::from(files), max_bytes);
        let mut history = History { window, now: Instant::now(), claims: vec![], seen: vec![], order };
        for event in events {
            history.happen(event, cancels);
        }
        prop_assert!(history.window.room() <= files);
        history.finish();
    }
}
