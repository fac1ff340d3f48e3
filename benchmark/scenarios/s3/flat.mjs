// Keys without any delimiter behind the prefix.

import { target } from './parts/bucket.mjs'
import { emptying } from './parts/emptying.mjs'

export default emptying({ what: 'flat keys', template: `${target.Prefix}{i:08}`, bound: 5.5 })
