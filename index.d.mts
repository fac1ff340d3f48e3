// The types of the ES module: those of the CommonJS module, which it re-exports.
export * from './index.js'
