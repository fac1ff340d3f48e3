'use strict'

// Closes what is open in the core once the JavaScript object that owns it has been collected.
//
// The finalizer only collects handles. A sweep closes them in slices, because a million keys may become garbage at once,
// and closing all of them in one go would hold the event loop up.

const { setTimeout } = require('node:timers')
const core = require('./core.js')
const { tellSafely } = require('./faults.js')

const SLICE = 5_000

/** @type {{ close(): void }[]} */
let garbage = []
let sweeping = false

const registry = new FinalizationRegistry((handle) => {
  garbage.push(handle)
  if (!sweeping) {
    sweeping = true
    sweepSoon()
  }
})

/** Sets a timer, because an immediate that does not hold the process would not wake an idle event loop. */
function sweepSoon() {
  setTimeout(sweep, 1).unref()
}

function sweep() {
  const slice = garbage.length > SLICE ? garbage.splice(-SLICE) : garbage
  if (slice === garbage) garbage = []
  for (const handle of slice) tellSafely(() => handle.close())
  sweeping = garbage.length > 0
  if (sweeping) sweepSoon()
}

/** Calls `handle.close()` some time after `owner` was collected. */
function closeWith(owner, handle) {
  registry.register(owner, handle)
}

class SemaphoreHandle {
  constructor(id) {
    this.id = id
  }

  close() {
    core.closeSemaphore(this.id)
  }
}

class TableHandle {
  constructor(id) {
    this.id = id
  }

  close() {
    core.closeTable(this.id)
  }
}

module.exports = { closeWith, SemaphoreHandle, TableHandle }
