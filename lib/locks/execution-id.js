'use strict'

// Ids of executions, shaped as a UUID and cheap to make: a random UUID whose last twelve digits count up. Each thread has a
// random part of its own, so the ids are unique in the process.

const { randomUUID } = require('node:crypto')

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

let base = randomUUID().slice(0, -12)
let high = 0
let low = 0
let prefix = base + '00000000'

function nextExecutionId() {
  if (low === 0x10000) {
    low = 0
    high++
    if (high === 2 ** 32) {
      high = 0
      base = randomUUID().slice(0, -12)
    }
    prefix = base + high.toString(16).padStart(8, '0')
  }
  const id = prefix + BYTES[low >> 8] + BYTES[low & 0xff]
  low++
  return id
}

module.exports = { nextExecutionId }
