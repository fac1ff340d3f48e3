'use strict'

// Knows whether code runs inside a semaphore's section, by marks in the async context.
//
// A mark ends with its section, so work that outlives the section is outside again. Each mark refers to the one around it.
// Marks that ended are unlinked when the chain is walked: a program that always starts the next section from within the last
// one would keep all of their marks in memory otherwise.

const { AsyncLocalStorage } = require('node:async_hooks')

/** @type {AsyncLocalStorage<Mark | undefined>} */
const storage = new AsyncLocalStorage()

class Mark {
  constructor(semaphore, outer) {
    this.semaphore = semaphore
    this.outer = outer
    this.active = true
  }
}

/** The innermost mark that is still active. */
function innermost() {
  let mark = storage.getStore()
  while (mark !== undefined && !mark.active) mark = mark.outer
  return mark
}

/** The active marks of the code that runs, from inner to outer. */
function* activeMarks() {
  for (let mark = innermost(); mark !== undefined; mark = next(mark)) yield mark
}

function next(mark) {
  while (mark.outer !== undefined && !mark.outer.active) mark.outer = mark.outer.outer
  return mark.outer
}

function isInside(semaphore) {
  return isAmong(innermost(), semaphore)
}

/** Whether `innermost` or a mark around it is of `semaphore`. */
function isAmong(innermost, semaphore) {
  for (let mark = innermost; mark !== undefined; mark = next(mark)) {
    if (mark.semaphore === semaphore) return true
  }
  return false
}

/** Makes the mark for a section of `semaphore` within `outer`; end it with `mark.active = false`. */
function createMark(semaphore, outer) {
  return new Mark(semaphore, outer)
}

function runInside(mark, callback, argument) {
  return storage.run(mark, callback, argument)
}

/** A function that tells, later and in any context, whether the caller of now is still inside a semaphore's section. */
function captureSections() {
  const captured = storage.getStore()
  return (semaphore) => {
    let mark = captured
    while (mark !== undefined && !mark.active) mark = mark.outer
    return isAmong(mark, semaphore)
  }
}

/** Calls back as if inside no section. */
function runOutside(callback) {
  return storage.run(undefined, callback)
}

module.exports = { activeMarks, captureSections, innermost, isAmong, isInside, createMark, runInside, runOutside }
