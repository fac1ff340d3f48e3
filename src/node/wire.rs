//! The integers that mean the same in both languages. Each is written once here and once in `lib/native/wire.js`; a test of
//! the built addon compares the two.

use napi::Result;
use napi::bindgen_prelude::{JsObjectValue, Object, ToNapiValue};
use napi::{Env, sys};

use super::functions::Functions;

macro_rules! wire {
    ($($(#[doc = $doc:literal])* $name:ident = $value:literal;)*) => {
        $($(#[doc = $doc])* pub const $name: u32 = $value;)*

        /// All of them, by name.
        const ALL: &[(&str, u32)] = &[$((stringify!($name), $name)),*];
    };
}

wire! {
    // Bits of a pipeline's answer, below the slot.
    /// Start the task in the slot.
    START = 1;
    /// Pull another task.
    PULL = 2;
    /// The run is over.
    DONE = 4;
    /// The slot is that of a result.
    RESULT = 8;
    /// How many bits those are.
    SLOT_SHIFT = 4;

    // The orders in which a pipeline gives results; 0 is none.
    /// As the source gave the tasks.
    RESULTS_IN_SOURCE_ORDER = 1;
    /// As the tasks end.
    RESULTS_AS_COMPLETED = 2;

    // What became of a file; each stands beside a number that tells more.
    /// Small data, in a slab: its length.
    IN_SLAB = 0;
    /// Data with a buffer of its own: unused.
    IN_BUFFER = 1;
    /// The system call failed: libuv's error number.
    OPEN_FAILED = 2;
    /// As above.
    READ_FAILED = 3;
    /// As above.
    SCANDIR_FAILED = 4;
    /// A special file that was not asked for: which kind, as below.
    SPECIAL_FILE = 5;
    /// It took too long: unused.
    TIMED_OUT = 6;
    /// Too large for a buffer: its size.
    TOO_LARGE = 7;
    /// A panic of this library: unused; the text is in `panics`.
    PANICKED = 8;
    /// How many numbers a file has among the facts: its index, what became of it, and the number beside.
    FACTS_PER_FILE = 3;

    // Kinds of special files.
    /// A pipe.
    PIPE = 0;
    /// A socket.
    SOCKET = 1;
    /// A character device.
    CHARACTER_DEVICE = 2;
    /// A block device.
    BLOCK_DEVICE = 3;
}

struct Table;

impl ToNapiValue for Table {
    unsafe fn to_napi_value(env: sys::napi_env, _: Self) -> Result<sys::napi_value> {
        let mut table = Object::new(&Env::from_raw(env))?;
        for (name, value) in ALL {
            table.set_named_property(name, *value)?;
        }
        // SAFETY: `env` is the environment that this was called with.
        unsafe { Object::to_napi_value(env, table) }
    }
}

pub fn define(functions: &mut Functions<'_>) -> Result<()> {
    let nothing = functions.share((), |()| ());
    // () -> all of the above, by name
    functions.define(&nothing, "wire", |(), _| Ok(Table))
}
