'use strict'

// Turns a page of keys to delete into the columns that cross to Rust.

const { invalid } = require('../base/validate.js')
const { failedKey } = require('./errors.js')
const { isWellFormed } = require('./text.js')

/**
 * The keys and versions of a page; `versions` is `null` when no key has one. `refused` are the keys that no store can
 * hold.
 */
function toColumns(page) {
  if (!Array.isArray(page))
    throw invalid('The task of deleteObjects', page, 'an array of keys, as strings or { Key, VersionId? }')
  const keys = []
  const refused = []
  let versions = null
  for (const item of page) {
    const { Key, VersionId } = typeof item === 'string' ? { Key: item, VersionId: undefined } : (item ?? {})
    if (typeof Key !== 'string') throw invalid('A key to delete', item, 'a string or { Key, VersionId? }')
    // A store takes an empty version for none, and would delete the object instead of a version.
    if (VersionId != null && (typeof VersionId !== 'string' || VersionId === ''))
      throw invalid(`VersionId of ${JSON.stringify(Key)}`, VersionId, 'a string that is not empty, or left out')
    const message = faultOf(Key)
    if (message !== undefined) {
      refused.push(failedKey(Key, VersionId, 'InvalidKey', message))
      continue
    }
    if (VersionId != null) versions ??= new Array(keys.length).fill(null)
    versions?.push(VersionId ?? null)
    keys.push(Key)
  }
  return { keys, versions, refused }
}

function faultOf(key) {
  if (key === '') return 'S3 has no empty key'
  if (!isWellFormed(key)) return 'It has half of a surrogate pair; converted, it would be another key'
  return undefined
}

module.exports = { toColumns }
