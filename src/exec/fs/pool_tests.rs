//! Threads that get stuck and come back, with work that blocks on demand.

use super::*;
use std::sync::mpsc;

/// Pieces that block until they are let go, each told when it starts.
struct Gates {
    state: Mutex<(VecDeque<Piece>, usize)>,
    let_go: Condvar,
    running: Mutex<usize>,
    started: mpsc::Sender<()>,
}

#[derive(Clone, Copy, PartialEq)]
enum Piece {
    Blocks,
    Quick,
}

struct Bench {
    pool: &'static Pool,
    work: Arc<Gates>,
    seat: Arc<Seat>,
    started: mpsc::Receiver<()>,
}

const LONG: Duration = Duration::from_secs(20);

impl Bench {
    fn new(threads: usize, most_stuck: usize) -> Self {
        let pool: &'static Pool = Box::leak(Box::new(Pool::new(Settings {
            threads,
            stuck_after: Duration::from_millis(5),
            most_stuck,
            idle: LONG,
            at_rest: || {},
        })));
        let (sender, started) = mpsc::channel();
        let work = Arc::new(Gates {
            state: Mutex::new((VecDeque::new(), 0)),
            let_go: Condvar::new(),
            running: Mutex::new(0),
            started: sender,
        });
        let weak: Weak<Gates> = Arc::downgrade(&work);
        let seat = Seat::new(weak);
        pool.watch(&seat);
        Self { pool, work, seat, started }
    }

    fn give(&self, piece: Piece, count: usize) {
        self.work.state.lock().unwrap().0.extend(std::iter::repeat_n(piece, count));
        self.pool.schedule(&self.seat);
    }

    /// So many pieces start, though all before them are stuck.
    fn assert_starts(&self, count: usize) {
        for n in 0..count {
            assert!(self.started.recv_timeout(LONG).is_ok(), "only {n} of {count} started");
        }
    }

    fn let_all_go(&self) {
        self.work.state.lock().unwrap().1 += 1;
        self.work.let_go.notify_all();
    }

    fn wait_until(&self, what: &str, is_so: impl Fn(&State) -> bool) {
        let since = Instant::now();
        while !is_so(&self.pool.lock()) {
            assert!(since.elapsed() < LONG, "{what}");
            thread::yield_now();
        }
    }
}

impl Work for Gates {
    fn run_one(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        let Some(piece) = state.0.pop_front() else { return false };
        *self.running.lock().unwrap() += 1;
        let _ = self.started.send(());
        let generation = state.1;
        while piece == Piece::Blocks && state.1 == generation {
            state = self.let_go.wait(state).unwrap();
        }
        *self.running.lock().unwrap() -= 1;
        true
    }

    fn has_work(&self) -> bool {
        !self.state.lock().unwrap().0.is_empty()
    }

    fn is_idle(&self) -> bool {
        *self.running.lock().unwrap() == 0 && !self.has_work()
    }

    fn tick(&self) {}

    fn tick_every(&self) -> Duration {
        Duration::from_millis(1)
    }
}

#[test]
fn stuck_threads_are_replaced_up_to_the_bound_and_again_after_they_came_back() {
    let bench = Bench::new(2, 6);
    for round in 0..4 {
        // Eight threads at most: six that are stuck and replaced, and two.
        bench.give(Piece::Blocks, 8);
        bench.assert_starts(8);
        bench.give(Piece::Quick, 1);
        assert!(bench.started.recv_timeout(Duration::from_millis(30)).is_err(), "round {round}");
        bench.let_all_go();
        bench.assert_starts(1);
        bench.wait_until("threads that came back stay", |state| state.runners.len() <= 2);
    }
}

#[test]
fn a_quick_piece_passes_those_that_are_stuck() {
    let bench = Bench::new(1, 3);
    bench.give(Piece::Blocks, 3);
    bench.give(Piece::Quick, 1);
    bench.assert_starts(4);
    bench.let_all_go();
}

#[test]
fn work_that_is_dropped_leaves_the_line() {
    let bench = Bench::new(1, 1);
    bench.give(Piece::Blocks, 1);
    bench.assert_starts(1);
    let (_, seat) = ((), Arc::clone(&bench.seat));
    let Bench { pool, work, .. } = bench;
    work.state.lock().unwrap().1 += 1;
    work.let_go.notify_all();
    drop(work);
    let since = Instant::now();
    while seat.work.strong_count() > 0 || !pool.lock().line.is_empty() {
        assert!(since.elapsed() < LONG, "the pool keeps what nobody else knows");
        thread::yield_now();
    }
}
