//! Panics and stalls on demand, so that tests can see what becomes of them. A release build has none of this.
//!
//! A place is a point of the code with a name: [`pass`] marks it. Each function of the binding is a place of its own
//! name, and so is each piece of work that [`panics::contain`](crate::panics::contain) does.
//!
//! * `YA_SYN_NATIVE_PANIC=<place>` makes every thread panic that passes the place, and `<place>:<n>` only the n-th time
//!   that it is passed.
//! * `YA_SYN_NATIVE_STALL=<place>` keeps every thread that passes the place there for ever, as a dead mount does;
//!   `<place>:<n>` only the first n times, and `<place>:<n>:<ms>` for so many milliseconds, as a slow mount does.

#[cfg(debug_assertions)]
mod armed {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    struct Hook {
        place: String,
        /// Of a panic, the one time that it happens; of a stall, how many times it happens. Without a number each time.
        time: Option<u32>,
        /// How long a stall lasts; for ever without a number.
        ms: Option<u64>,
    }

    static PANIC: LazyLock<Option<Hook>> = LazyLock::new(|| Hook::from_env("YA_SYN_NATIVE_PANIC"));
    static STALL: LazyLock<Option<Hook>> = LazyLock::new(|| Hook::from_env("YA_SYN_NATIVE_STALL"));
    static PASSED: AtomicU32 = AtomicU32::new(0);
    static STALLED: AtomicU32 = AtomicU32::new(0);

    impl Hook {
        fn from_env(variable: &str) -> Option<Self> {
            let hook = std::env::var(variable).ok()?;
            let mut parts = hook.split(':');
            let place = parts.next()?.to_owned();
            let time = parts.next().map(|time| time.parse().expect("<place>:<n>"));
            let ms = parts.next().map(|ms| ms.parse().expect("<place>:<n>:<ms>"));
            Some(Self { place, time, ms })
        }
    }

    pub fn pass(place: &str) {
        if let Some(hook) = STALL.as_ref().filter(|hook| hook.place == place) {
            let number = STALLED.fetch_add(1, Ordering::Relaxed) + 1;
            let is_kept = hook.time.is_none_or(|first| number <= first);
            match hook.ms.map(std::time::Duration::from_millis) {
                _ if !is_kept => {}
                Some(time) => std::thread::sleep(time),
                None => loop {
                    std::thread::park();
                },
            }
        }
        let Some(hook) = PANIC.as_ref().filter(|hook| hook.place == place) else { return };
        let time = PASSED.fetch_add(1, Ordering::Relaxed) + 1;
        if hook.time.is_none_or(|wanted| wanted == time) {
            panic!("provoked in {place}");
        }
    }
}

/// Panics or stalls if this place is the one asked for.
#[cfg(debug_assertions)]
pub use armed::pass;

/// Nothing, in a release build.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn pass(_place: &str) {}
