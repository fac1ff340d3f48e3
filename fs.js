'use strict'

// The subpath `ya-syn-native/fs` for `require`; `fs.mjs` gives `import` the same objects.

const { listFiles } = require('./lib/fs/list-files.js')
const { readFiles, readFilesToArray } = require('./lib/fs/read-files.js')

module.exports = { listFiles, readFiles, readFilesToArray }
