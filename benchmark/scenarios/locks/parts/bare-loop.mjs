// The yardstick of every comparison: what the same tasks cost with no library at all, one after the other.

const BARE_LOOP = 'bare loop'

async function* taskSource(count) {
  for (let i = 0; i < count; i++) yield { task: i }
}

const bareLoop = (executor) => async (count) => {
  for await (const task of taskSource(count)) await executor(task)
}

export { BARE_LOOP, bareLoop, taskSource }
