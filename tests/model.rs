//! The core against a model so plain that it can be read at a glance: random histories of what
//! users do, and after each step both must agree.

use std::collections::{BTreeMap, VecDeque};

use proptest::prelude::*;
use ya_syn_native::core::limit::Limit;
use ya_syn_native::core::locks::keyed::{KeyedSemaphores, Lease};
use ya_syn_native::core::locks::queue::Place;
use ya_syn_native::core::locks::semaphore::{Semaphore, Stage, Stats};
use ya_syn_native::core::pipeline::{Answer, Bounds, Pipeline};

fn limit(n: u32) -> Limit {
    Limit::from_f64(f64::from(n)).unwrap()
}

/// What a user does to a semaphore; the index picks among those it applies to.
#[derive(Clone, Debug)]
enum Step {
    Acquire,
    TryAcquire,
    Enter(prop::sample::Index),
    Release(prop::sample::Index),
    Cancel(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Acquire),
        1 => Just(Step::TryAcquire),
        2 => any::<prop::sample::Index>().prop_map(Step::Enter),
        4 => any::<prop::sample::Index>().prop_map(Step::Release),
        2 => any::<prop::sample::Index>().prop_map(Step::Cancel),
    ]
}

/// A semaphore as a list of holders and a list of waiters.
#[derive(Default)]
struct Model {
    /// Who holds a permit, and whether it has entered.
    holders: Vec<(u32, bool)>,
    waiters: VecDeque<u32>,
}

proptest! {
    #[test]
    fn a_semaphore_behaves_as_its_model(permits in 1u32..4, steps in prop::collection::vec(step(), 1..300)) {
        let semaphore = Semaphore::new(limit(permits));
        let mut model = Model::default();
        let mut places: BTreeMap<u32, Place> = BTreeMap::new();
        for (name, step) in steps.into_iter().enumerate() {
            let name = name as u32;
            let free = model.holders.len() < permits as usize;
            match step {
                Step::Acquire => match semaphore.acquire(name) {
                    Ok(()) => {
                        prop_assert!(free);
                        model.holders.push((name, false));
                    }
                    Err(place) => {
                        prop_assert!(!free);
                        model.waiters.push_back(name);
                        places.insert(name, place);
                    }
                },
                Step::TryAcquire => {
                    prop_assert_eq!(semaphore.try_acquire(), free);
                    if free {
                        model.holders.push((name, false));
                    }
                }
                Step::Enter(index) => {
                    let mut admitted: Vec<_> = model.holders.iter_mut().filter(|(_, entered)| !entered).collect();
                    if admitted.is_empty() {
                        continue;
                    }
                    let picked = index.index(admitted.len());
                    admitted[picked].1 = true;
                    semaphore.enter();
                }
                Step::Release(index) => {
                    if model.holders.is_empty() {
                        continue;
                    }
                    let (_, entered) = model.holders.remove(index.index(model.holders.len()));
                    let next = model.waiters.pop_front();
                    let stage = if entered { Stage::Entered } else { Stage::Admitted };
                    prop_assert_eq!(semaphore.release(stage), next);
                    model.holders.extend(next.map(|next| (next, false)));
                }
                Step::Cancel(index) => {
                    if places.is_empty() {
                        continue;
                    }
                    // Also places that were granted or left long ago.
                    let (&waiter, &place) = places.iter().nth(index.index(places.len())).unwrap();
                    let waited = model.waiters.contains(&waiter).then_some(waiter);
                    prop_assert_eq!(semaphore.cancel(place), waited);
                    model.waiters.retain(|other| *other != waiter);
                }
            }
            let held = model.holders.len() as u32;
            prop_assert!(held <= permits);
            prop_assert!(held == permits || model.waiters.is_empty(), "a permit was lost");
            let running = model.holders.iter().filter(|(_, entered)| *entered).count() as u32;
            let tasks = held + model.waiters.len() as u32;
            prop_assert_eq!(semaphore.stats(), Stats { tasks, held, running });
            prop_assert_eq!(semaphore.is_idle(), held == 0);
        }
    }

    #[test]
    fn a_key_lives_as_long_as_somebody_needs_it(
        steps in prop::collection::vec((0u16..4, 0u8..4, any::<prop::sample::Index>()), 1..200),
    ) {
        let table = KeyedSemaphores::<u32>::new();
        let mut leases: Vec<(u16, Lease<u32>)> = Vec::new();
        let mut held: BTreeMap<u16, bool> = BTreeMap::new();
        for (key, action, index) in steps {
            let picked = (!leases.is_empty()).then(|| index.index(leases.len()));
            match (action, picked) {
                (0, _) => leases.push((key, table.lease(&[key], limit(1)))),
                (1, Some(picked)) => drop(leases.swap_remove(picked)),
                (2, Some(picked)) => {
                    let (key, lease) = &leases[picked];
                    let held = held.entry(*key).or_default();
                    prop_assert_eq!(lease.try_acquire(), !*held);
                    *held = true;
                }
                (3, Some(picked)) => {
                    let (key, lease) = &leases[picked];
                    let held = held.entry(*key).or_default();
                    if std::mem::take(held) {
                        prop_assert_eq!(lease.release(Stage::Admitted), None);
                    }
                }
                _ => {}
            }
            let needed = (0u16..4).filter(|key| {
                leases.iter().any(|(leased, _)| leased == key) || held.get(key) == Some(&true)
            });
            prop_assert_eq!(table.len(), needed.count());
        }
    }

    #[test]
    fn a_pipeline_stays_in_its_bounds_and_loses_no_task(
        (window, execution, per_key) in (1u32..6, 1u32..4, 1u32..3),
        keys in prop::collection::vec(prop::option::of(0u16..3), 0..60),
        order in prop::collection::vec(any::<prop::sample::Index>(), 400),
        abort_at in prop::option::of(0usize..200),
    ) {
        let mut pipeline = Pipeline::new(Bounds {
            window: limit(window),
            execution: limit(execution),
            per_key: limit(per_key),
        });
        let mut source = keys.iter().copied();
        let mut key_of: BTreeMap<u32, Option<u16>> = BTreeMap::new();
        let mut running: Vec<u32> = Vec::new();
        let mut pulled_order: VecDeque<u32> = VecDeque::new();
        let (mut pulls, mut started, mut ended, mut done, mut aborted) = (0, 0, false, false, false);
        let mut take = |answer: Answer, running: &mut Vec<u32>, pulls: &mut usize| {
            *pulls += usize::from(answer.pull);
            started += usize::from(answer.start.is_some());
            running.extend(answer.start);
            done |= answer.done;
            done
        };
        let first = pipeline.begin();
        let mut over = take(first, &mut running, &mut pulls);
        for (step, pick) in order.into_iter().enumerate() {
            if over {
                break;
            }
            if abort_at == Some(step) {
                aborted = true;
                over = take(pipeline.abort(), &mut running, &mut pulls);
                continue;
            }
            prop_assert!(pulls <= 1, "two pulls outstanding");
            let choices = running.len() + usize::from(pulls > 0 && !aborted);
            prop_assert!(choices > 0, "nothing goes on, and yet it is not done");
            let choice = pick.index(choices);
            if choice < running.len() {
                let slot = running.remove(choice);
                key_of.remove(&slot);
                let answer = pipeline.finished(slot, choice % 2 == 0);
                prop_assert!(!aborted || answer.start.is_none());
                over = take(answer, &mut running, &mut pulls);
            } else {
                pulls -= 1;
                let Some(key) = source.next() else {
                    ended = true;
                    over = take(pipeline.source_ended(), &mut running, &mut pulls);
                    continue;
                };
                let (slot, answer) = match key {
                    Some(key) => pipeline.pulled_keyed(&[key]),
                    None => pipeline.pulled(),
                };
                prop_assert!(key_of.insert(slot, key).is_none(), "a slot was given out twice");
                pulled_order.push_back(slot);
                over = take(answer, &mut running, &mut pulls);
            }
            prop_assert!(key_of.len() <= window as usize || aborted);
            prop_assert!(running.len() <= execution as usize);
            for key in 0..3 {
                let same = running.iter().filter(|slot| key_of.get(slot) == Some(&Some(key)));
                prop_assert!(same.count() <= per_key as usize);
            }
            prop_assert_eq!(pipeline.counts().running as usize, running.len());
        }
        let counts = pipeline.counts();
        if over && !aborted {
            prop_assert!(ended);
            prop_assert_eq!(counts.pulled as usize, keys.len());
            prop_assert_eq!((counts.done + counts.failed) as usize, keys.len());
            prop_assert_eq!(started, keys.len());
        }
        prop_assert!(!over || running.is_empty());
    }
}
