// Tasks with keys, and an executor that starts and ends them in an order that the test says.
import { deferred, turn } from './async.mjs'

/** Tasks named by a word: its first letter is the key. */
export const named = (words) => words.split(' ').map((task) => ({ task }))
/** The key of such a task. */
export const key = (task) => task[0]

/** An executor whose tasks start in the order of `started` and end when `finish` says so. */
export function steered() {
  const gates = new Map()
  const started = []
  return {
    started,
    executor: ({ task }) => {
      started.push(task)
      const gate = deferred()
      gates.set(task, gate)
      return gate.promise
    },
    finish: (task) => gates.get(task).resolve(),
    fail: (task, reason) => gates.get(task).reject(reason),
    finishAll: async () => {
      for (let idle = 0; idle < 5; idle++) {
        for (const [task, gate] of gates) {
          gates.delete(task)
          gate.resolve()
          idle = 0
        }
        await turn()
      }
    },
  }
}
