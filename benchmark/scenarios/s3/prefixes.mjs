// Keys under several prefixes, which a listing can part without knowing them.

import { target } from './parts/bucket.mjs'
import { emptying } from './parts/emptying.mjs'

export default emptying({ what: 'keys under 16 sub-prefixes', template: `${target.Prefix}{i%16:04}/{i:08}`, bound: 7 })
