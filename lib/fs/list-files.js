'use strict'

// `listFiles`: the files under a folder, as an iterator that works alone, as a source of executeTasks, and as one of readFiles.

const core = require('../native/core.js')
const { invalid } = require('../base/validate.js')
const { JobIterator } = require('../sources/job-iterator.js')
const { toListOptions } = require('./options.js')
const { Outcomes } = require('./outcomes.js')
const { joinPaths, splitPaths, toNativePath } = require('./paths.js')

class ListedFiles extends JobIterator {
  #args
  #used = false

  constructor(dir, options) {
    const { glob, ignore, followSymlinks, hidden, signal } = toListOptions('listFiles', options)
    const args = [core.workingFolder(), joinPaths([toNativePath(dir)]), glob, ignore, followSymlinks, hidden]
    const fault = core.faultOfPatterns(glob, ignore)
    if (fault !== '') throw invalid('glob or ignore', [...glob, ...ignore], `patterns that can be read (${fault})`)
    super(() => this.open(core.openList), signal)
    this.#args = args
  }

  /**
   * Opens a job that lists, by a function of the core whose last arguments say what to list; `args` come before them.
   */
  open(open, ...args) {
    if (this.#used) throw invalid('paths', this, 'a source that was not used before')
    this.#used = true
    return this.openJob(open, ...args, ...this.#args)
  }

  receive(chunk) {
    if (!chunk.isEnd) return splitPaths(chunk.paths).map((task) => ({ task }))
    new Outcomes(chunk).forEach(undefined, {}, (_, { error }) => this.fail(error))
    return []
  }
}

function listFiles(dir, options) {
  return new ListedFiles(dir, options)
}

module.exports = { ListedFiles, listFiles }
