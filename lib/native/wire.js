'use strict'

// The integers that mean the same in Rust and in JavaScript. src/node/wire.rs has them too, and a test compares the two
// files. They are written out here, because a constant costs a task less than a value that was read from Rust.

module.exports = {
  // The bits of a pipeline's answer, and the number of these bits: the slot stands above them.
  START: 1,
  PULL: 2,
  DONE: 4,
  RESULT: 8,
  SLOT_SHIFT: 4,

  // The orders in which a pipeline gives results; 0 is none.
  RESULTS_IN_SOURCE_ORDER: 1,
  RESULTS_AS_COMPLETED: 2,

  // What became of a file, and the number beside it:
  IN_SLAB: 0, // the length
  IN_BUFFER: 1,
  OPEN_FAILED: 2, // libuv's error number, as for the next two
  READ_FAILED: 3,
  SCANDIR_FAILED: 4,
  SPECIAL_FILE: 5, // the kind
  TIMED_OUT: 6,
  TOO_LARGE: 7, // the size
  PANICKED: 8,
  FACTS_PER_FILE: 3,

  // Kinds of special files.
  PIPE: 0,
  SOCKET: 1,
  CHARACTER_DEVICE: 2,
  BLOCK_DEVICE: 3,
}
