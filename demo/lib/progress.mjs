// What a demo says while it runs, on standard error: a line that keeps changing on a terminal, elsewhere a line per way.

const INTERVAL_MS = 100

/** Starts telling about a way that goes through `total` items; `add(n)` counts, `end()` closes. */
export function startProgress({ name, total, item, stream = process.stderr }) {
  let done = 0
  const text = () => `${name}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${item}s`
  if (!stream.isTTY) {
    stream.write(`${name} …\n`)
    return {
      add: (count) => {
        done += count
      },
      end() {},
    }
  }
  const show = () => stream.write(`\r\x1b[K${text()}`)
  show()
  const timer = setInterval(show, INTERVAL_MS)
  return {
    add: (count) => {
      done += count
    },
    end() {
      clearInterval(timer)
      stream.write('\r\x1b[K')
    },
  }
}
