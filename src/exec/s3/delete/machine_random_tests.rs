//! A store that answers at random: whatever it says, every call is settled, and nothing that is still there counts as deleted.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fastrand::Rng;

use super::machine::{Machine, Settings};
use super::step::{Answered, Request, Step};
use crate::core::batch::Grouping;
use crate::core::batch::pace::Moment;
use crate::core::batch::prefix::Cut;
use crate::core::limit::Limit;
use crate::exec::s3::answer::{Deleted, Deletion};
use crate::exec::s3::fault::Fault;
use crate::exec::s3::object::Object;
use crate::exec::s3::progress::Progress;
use crate::exec::s3::way::{Way, Ways};

const PATIENCE: Duration = Duration::from_secs(20);

/// What a store does with a request, and what it says: mostly the truth, and never that something is deleted which is not.
fn store(
    request: &Request,
    there: &mut HashSet<String>,
    random: &mut Rng,
) -> Result<Answered, Fault> {
    let status = |status: u16, code: &str| {
        Err(Fault::answered(status, code, String::new()).at("bucket 'b'"))
    };
    let roll = random.u32(0..20);
    let is_carried_out = roll < 14 || random.bool();
    let mut deletion = Deletion::default();
    for item in &request.items {
        if is_carried_out && random.u32(0..20) > 0 {
            there.remove(&item.key);
        }
        let is_there = there.contains(&item.key);
        let (key, version) = (item.key.clone(), item.version.clone());
        match random.u32(0..10) {
            // An answer to a quiet request has to name what is left.
            0 if !request.form.quiet || !is_there => {}
            _ if is_there => {
                let code = random.choice(["AccessDenied", "SlowDown", "InternalError", ""]);
                let fault = Fault::of_key(code.unwrap_or_default(), String::new());
                deletion.failed.push((key, version, fault));
            }
            1 => {
                let fault = Fault::of_key("NoSuchKey", String::new());
                deletion.failed.push((key, version, fault));
            }
            _ if request.form.quiet => {}
            _ => deletion.deleted.push(Deleted { key, version, made_marker: false }),
        }
    }
    if random.u32(0..10) == 0 {
        random.shuffle(&mut deletion.deleted);
    }
    if random.u32(0..20) == 0 {
        deletion.unnamed = Some(Fault::of_key("InternalError", String::new()));
    }
    match roll {
        19 => status(503, "SlowDown"),
        18 => status(500, ""),
        17 => status(501, ""),
        16 => status(413, ""),
        15 => Err(Fault::not_confirmed("nothing")),
        14 => Err(Fault::passing("ConnectionError", "reset".to_owned())),
        _ if request.form.way != Way::Single => Ok(Answered::Each(deletion)),
        _ if request.items.iter().any(|item| there.contains(&item.key)) => {
            status(403, "AccessDenied")
        }
        _ => Ok(Answered::One { made_marker: false }),
    }
}

#[test]
fn whatever_a_store_answers_every_call_is_settled_with_true_counts() {
    for seed in 0..400 {
        let mut random = Rng::with_seed(seed);
        let progress = Arc::new(Progress::default());
        let cut = Cut::Delimiter { base: 0, delimiter: "/".to_owned() };
        let settings = Settings {
            grouping: if random.bool() {
                Grouping::Shared(cut)
            } else {
                let limit = Limit::from_f64(2.0).unwrap();
                Grouping::PerPrefix { cut, limit, gated: false }
            },
            batch_size: random.usize(1..12),
            throttle_timeout: PATIENCE,
            max_attempts: random.u32(1..5),
        };
        let ways = Arc::new(Ways::new(None));
        let mut machine = Machine::new(settings, ways, Arc::clone(&progress));
        let mut now = Moment::ZERO;
        let mut there = HashSet::new();
        let mut asked = 0;
        let mut open = HashSet::new();
        let mut flying = Vec::new();
        let (mut deleted, mut failed, mut untried) = (0, HashSet::new(), 0);
        let (calls, stops) = (random.usize(1..6), random.u32(0..4) == 0);
        for call in 0..calls {
            let name = |i| format!("p{}/{call}-{i}", i % 3);
            let keys: Vec<String> = (0..random.usize(0..30)).map(name).collect();
            there.extend(keys.iter().cloned());
            asked += keys.len() as u64;
            let objects = keys.into_iter().map(|key| Object { key, ..Object::default() });
            open.insert(machine.call(objects.collect(), now));
        }
        for step in 0.. {
            assert!(step < 20_000, "seed {seed}: it does not come to an end");
            if stops && step == 10 {
                machine.stop();
            }
            let next = if flying.len() < 4 { machine.next(now) } else { Step::Wait(None) };
            match next {
                Step::Send(request) => {
                    let result = store(&request, &mut there, &mut random);
                    flying.push((request, result));
                }
                Step::Ask(..) | Step::Release(_) => unreachable!("nothing is gated"),
                Step::Wait(until) => {
                    if flying.is_empty() {
                        now = match until {
                            Some(until) => until,
                            None => break,
                        };
                        continue;
                    }
                    let (request, result) = flying.swap_remove(random.usize(0..flying.len()));
                    now += Duration::from_millis(random.u64(0..50));
                    machine.finished(request, result, now, random.f64());
                }
            }
            for (number, settled) in machine.take_settled() {
                assert!(open.remove(&number), "seed {seed}: settled twice");
                deleted += settled.deleted;
                untried += settled.untried;
                for key in settled.failed {
                    assert!(
                        !key.code.is_empty() && !key.message.is_empty(),
                        "seed {seed}: {key:?}"
                    );
                    failed.insert(key.key);
                }
            }
        }
        for (number, settled) in machine.take_settled() {
            assert!(open.remove(&number));
            assert!(settled.deleted == 0 && settled.failed.is_empty(), "seed {seed}");
            untried += settled.untried;
        }
        assert!(open.is_empty(), "seed {seed}: {} calls are open", open.len());
        assert_eq!(deleted + failed.len() as u64 + untried, asked, "seed {seed}");
        assert_eq!(progress.deleted.load(Ordering::Relaxed), deleted);
        let left = there.iter().filter(|key| !failed.contains(*key)).count() as u64;
        assert!(left <= untried, "seed {seed}: {left} keys are there that count as deleted");
    }
}
