// The subpath `ya-syn-native/fs` for `import`: the very objects of the CommonJS one.
import face from './fs.js'

export const { listFiles, readFiles, readFilesToArray } = face
