//! Tests of what follows from each answer, by a store that is played by hand.

mod refusals;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::calls::Settled;
use super::machine::{Machine, Settings};
use super::step::{Answered, Request, Step};
use crate::core::batch::Grouping;
use crate::core::batch::pace::Moment;
use crate::core::batch::prefix::Cut;
use crate::exec::s3::answer::{Deleted, Deletion};
use crate::exec::s3::fault::Fault;
use crate::exec::s3::object::{Deletable, Object};
use crate::exec::s3::progress::Progress;
use crate::exec::s3::way::Proof::{Checksum, Md5};
use crate::exec::s3::way::{Way, Ways};

const PATIENCE: Duration = Duration::from_secs(300);

struct Play {
    machine: Machine,
    progress: Arc<Progress>,
    now: Moment,
    settled: HashMap<u64, Settled>,
}

impl Play {
    fn new(told: Option<Way>) -> Self {
        Self::of(Arc::new(Ways::new(told)), 1000)
    }

    fn of(ways: Arc<Ways>, batch_size: usize) -> Self {
        let progress = Arc::new(Progress::default());
        let cut = Cut::Delimiter { base: 0, delimiter: "/".to_owned() };
        let settings = Settings {
            grouping: Grouping::Shared(cut),
            batch_size,
            throttle_timeout: PATIENCE,
            max_attempts: 3,
        };
        let machine = Machine::new(settings, ways, Arc::clone(&progress));
        Self { machine, progress, now: Moment::ZERO, settled: HashMap::new() }
    }

    fn call(&mut self, keys: &str) -> u64 {
        let objects = keys.split_whitespace().map(|name| {
            let (key, version) = name.split_once('@').map_or((name, None), |(k, v)| (k, Some(v)));
            Object { key: key.to_owned(), version: version.map(str::to_owned), ..Object::default() }
        });
        self.machine.call(objects.collect(), self.now)
    }

    /// The next request, for which time passes if it has to.
    fn request(&mut self) -> Request {
        loop {
            match self.machine.next(self.now) {
                Step::Send(request) => return request,
                Step::Wait(Some(until)) => self.now = until,
                other => panic!("{other:?} instead of a request"),
            }
        }
    }

    /// A request that has to be for these keys, in this way.
    fn sent(&mut self, keys: &str, way: Way) -> Request {
        let request = self.request();
        assert_eq!((names(&request).as_str(), request.form.way), (keys, way));
        request
    }

    fn answer(&mut self, request: Request, result: Result<Answered, Fault>) {
        self.machine.finished(request, result, self.now, 0.5);
        self.settled.extend(self.machine.take_settled());
    }

    /// The store confirms all of it.
    fn confirm(&mut self, request: Request) {
        let answer = match request.form.way {
            Way::Single => Answered::One { made_marker: false },
            _ => says(&names(&request), &[]),
        };
        self.answer(request, Ok(answer));
    }

    /// What became of a call, if it is settled.
    fn end(&self, call: u64) -> Option<String> {
        let Settled { deleted, failed, untried } = self.settled.get(&call)?;
        let failed = failed.iter().map(|failed| format!(" {}:{}", failed.key, failed.code));
        Some(format!("{deleted}+{untried}{}", failed.collect::<String>()))
    }

    fn is_idle(&mut self) -> bool {
        matches!(self.machine.next(self.now), Step::Wait(None))
    }
}

fn names(request: &Request) -> String {
    let name = |item: &Deletable| match &item.version {
        Some(version) => format!("{}@{version}", item.key),
        None => item.key.clone(),
    };
    request.items.iter().map(name).collect::<Vec<_>>().join(" ")
}

fn says(deleted: &str, failed: &[(&str, &str)]) -> Answered {
    let entry = |name: &str| {
        let (key, version) = name.split_once('@').map_or((name, None), |(k, v)| (k, Some(v)));
        Deleted { key: key.to_owned(), version: version.map(str::to_owned), made_marker: false }
    };
    let fault =
        |(key, code): &(&str, &str)| ((*key).to_owned(), None, Fault::of_key(code, String::new()));
    Answered::Each(Deletion {
        deleted: deleted.split_whitespace().map(entry).collect(),
        failed: failed.iter().map(fault).collect(),
        unnamed: None,
    })
}

fn fault(status: u16, code: &str) -> Result<Answered, Fault> {
    Err(Fault::answered(status, code, String::new()))
}

#[test]
fn each_key_of_a_call_is_deleted_failed_or_tried_again() {
    let mut play = Play::new(None);
    let (one, two) = (play.call("a b"), play.call("c d"));
    let request = play.sent("a b c d", Way::Multi(Checksum));
    play.answer(request, Ok(says("a d", &[("b", "AccessDenied"), ("c", "InternalError")])));
    assert_eq!(play.end(one).unwrap(), "1+0 b:AccessDenied");
    assert_eq!(play.end(two), None);
    let again = play.sent("c", Way::Multi(Checksum));
    play.confirm(again);
    assert_eq!(play.end(two).unwrap(), "2+0");
    assert!(play.is_idle());
    let counts = [&play.progress.deleted, &play.progress.failed, &play.progress.retries];
    assert_eq!(counts.map(|count| count.load(Ordering::Relaxed)), [3, 1, 1]);
}

#[test]
fn a_key_that_was_not_there_any_more_is_deleted() {
    let mut play = Play::new(None);
    let call = play.call("a b@1 c");
    let request = play.sent("a b@1 c", Way::Multi(Checksum));
    play.answer(request, Ok(says("c", &[("a", "NoSuchKey"), ("b", "NoSuchVersion")])));
    assert_eq!(play.end(call).unwrap(), "3+0");
}

#[test]
fn what_an_answer_does_not_name_is_asked_for_one_by_one() {
    let mut play = Play::new(None);
    let call = play.call("a b c");
    let request = play.sent("a b c", Way::Multi(Checksum));
    play.answer(request, Ok(says("b", &[])));
    for key in ["a", "c"] {
        let request = play.sent(key, Way::Single);
        play.confirm(request);
    }
    assert_eq!(play.end(call).unwrap(), "3+0");
    play.call("d e");
    play.sent("d e", Way::Multi(Checksum));
}

#[test]
fn what_is_never_confirmed_fails_with_a_code_of_its_own() {
    let mut play = Play::new(Some(Way::Multi(Checksum)));
    let call = play.call("a b");
    let request = play.sent("a b", Way::Multi(Checksum));
    play.answer(request, Ok(says("", &[])));
    for _ in 0..2 * 3 {
        let request = play.request();
        assert_eq!(request.form.way, Way::Single);
        play.answer(request, Err(Fault::not_confirmed("a page of HTML")));
    }
    assert_eq!(play.end(call).unwrap(), "0+0 a:NotConfirmed b:NotConfirmed");
    let Settled { failed, .. } = &play.settled[&call];
    assert!(failed.iter().all(|failed| failed.message.contains("HTML")));
}

#[test]
fn a_store_that_confirms_is_asked_quietly_and_no_longer_once_that_is_doubtful() {
    let quiet = |request: &Request| request.form.quiet;
    for doubtful in [
        Err(Fault::not_confirmed("an empty answer")),
        Ok(says("x", &[])),
        Ok(says("", &[("other", "AccessDenied")])),
    ] {
        let mut play = Play::new(None);
        play.call("a");
        let request = play.request();
        assert!(!quiet(&request), "the first answer has to name what it deleted");
        play.confirm(request);
        let call = play.call("b c");
        let request = play.request();
        assert!(quiet(&request));
        play.answer(request, Ok(says("", &[])));
        assert_eq!(play.end(call).unwrap(), "2+0");
        let call = play.call("x y");
        let request = play.request();
        assert!(quiet(&request));
        let is_named = doubtful.as_ref().is_ok_and(
            |answer| matches!(answer, Answered::Each(deletion) if deletion.failed.is_empty()),
        );
        play.answer(request, doubtful);
        let request = play.sent(if is_named { "y" } else { "x y" }, Way::Multi(Checksum));
        assert!(!quiet(&request));
        play.confirm(request);
        assert_eq!(play.end(call).unwrap(), "2+0");
        play.call("z");
        assert!(!quiet(&play.request()), "it is learnt");
    }
}

#[test]
fn versions_and_markers_are_never_asked_for_quietly() {
    let mut play = Play::new(None);
    for keys in ["a@1", "b@1 c@2", "d@3"] {
        play.call(keys);
        let request = play.request();
        assert!(!request.form.quiet);
        play.confirm(request);
    }
}

#[test]
fn throttled_keys_wait_as_long_as_the_store_says_and_do_not_fail() {
    let mut play = Play::new(None);
    let call = play.call("a");
    for round in 1..=10 {
        let request = play.sent("a", Way::Multi(Checksum));
        let wait = Duration::from_secs(4);
        let sent = play.now;
        let throttled = Fault::answered(503, "", String::new()).told_to_wait(wait);
        play.answer(request, Err(throttled));
        let Step::Wait(Some(until)) = play.machine.next(play.now) else { panic!("no wait") };
        assert!(until >= sent + wait, "round {round}");
    }
    let request = play.sent("a", Way::Multi(Checksum));
    play.answer(request, Ok(says("", &[("a", "ExceedAccountQPSLimit")])));
    let request = play.sent("a", Way::Multi(Checksum));
    play.confirm(request);
    assert_eq!(play.end(call).unwrap(), "1+0");
}

#[test]
fn a_fault_of_the_job_fails_what_waits_and_a_stop_leaves_it_untried() {
    let mut play = Play::of(Arc::new(Ways::new(None)), 1);
    let call = play.call("a b c");
    let (one, two) = (play.sent("a", Way::Multi(Checksum)), play.sent("b", Way::Multi(Checksum)));
    play.answer(one, fault(404, "NoSuchBucket"));
    assert_eq!(play.machine.fatal().unwrap().code, "NoSuchBucket");
    assert!(play.is_idle());
    play.confirm(two);
    assert_eq!(play.end(call).unwrap(), "1+0 a:NoSuchBucket c:NoSuchBucket");

    let mut play = Play::of(Arc::new(Ways::new(None)), 1);
    let call = play.call("a b c");
    let (one, two) = (play.sent("a", Way::Multi(Checksum)), play.sent("b", Way::Multi(Checksum)));
    play.machine.stop();
    play.confirm(one);
    play.answer(two, fault(500, "InternalError"));
    assert_eq!(play.end(call).unwrap(), "1+2");
    let late = play.call("d e");
    play.settled.extend(play.machine.take_settled());
    assert_eq!(play.end(late).unwrap(), "0+2");
}
