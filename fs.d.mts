export * from './fs.js'
