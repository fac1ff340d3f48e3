//! Panics and stalls on demand, so that tests can see what becomes of them. Release builds have none of this.
//!
//! `YA_SYN_NATIVE_PANIC=<place>` makes the code panic that passes the place of that name, and
//! `YA_SYN_NATIVE_PANIC=<place>:<n>` makes it panic at the n-th time only. Each function of the
//! binding is a place of its own name; whatever runs elsewhere (a job, a blocking thread, a drop)
//! names its place itself with [`pass`]. `YA_SYN_NATIVE_STALL=<place>:<n>` keeps the first n threads that pass the
//! place there for ever, as a dead mount does, and `<place>:<n>:<ms>` for so long, as a slow one does.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[cfg(debug_assertions)]
mod armed {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    struct Fault {
        place: String,
        /// Which time it strikes; every time without one.
        time: Option<u32>,
        /// How long it lasts; for ever without one.
        ms: Option<u64>,
    }

    static PANIC: LazyLock<Option<Fault>> =
        LazyLock::new(|| Fault::from_env("YA_SYN_NATIVE_PANIC"));
    static STALL: LazyLock<Option<Fault>> =
        LazyLock::new(|| Fault::from_env("YA_SYN_NATIVE_STALL"));
    static PASSED: AtomicU32 = AtomicU32::new(0);
    static STALLED: AtomicU32 = AtomicU32::new(0);

    impl Fault {
        fn from_env(variable: &str) -> Option<Self> {
            let fault = std::env::var(variable).ok()?;
            let mut parts = fault.split(':');
            let place = parts.next()?.to_owned();
            let time = parts.next().map(|time| time.parse().expect("<place>:<n>"));
            let ms = parts.next().map(|ms| ms.parse().expect("<place>:<n>:<ms>"));
            Some(Self { place, time, ms })
        }
    }

    pub fn pass(place: &str) {
        if let Some(fault) = STALL.as_ref().filter(|fault| fault.place == place) {
            let number = STALLED.fetch_add(1, Ordering::Relaxed) + 1;
            let is_kept = fault.time.is_none_or(|first| number <= first);
            match fault.ms.map(std::time::Duration::from_millis) {
                _ if !is_kept => {}
                Some(time) => std::thread::sleep(time),
                None => loop {
                    std::thread::park();
                },
            }
        }
        let Some(fault) = PANIC.as_ref().filter(|fault| fault.place == place) else { return };
        let time = PASSED.fetch_add(1, Ordering::Relaxed) + 1;
        if fault.time.is_none_or(|wanted| wanted == time) {
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

/// Does `work` where nothing else would catch a panic, and the process or the thread would end with it. The message of the
/// panic is out by then, and there is nobody else to tell.
pub fn contain(place: &str, work: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        pass(place);
        work();
    }));
}

/// What a panic says, if it says something.
pub fn text_of(panic: &(dyn Any + Send)) -> Option<&str> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
}
