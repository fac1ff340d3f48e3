// Lock by key, with re-entry: transfers between accounts that never lose an update.
//
// Each account is a key. A transfer locks both of its accounts, always in the same order, and calls `change`, which
// locks its account again: inside the same section that passes straight through.
import { SynchronizerProvider } from 'ya-syn'

const accounts = new SynchronizerProvider({ providerId: 'accounts' })
const balances = new Map([
  ['alice', 100],
  ['bob', 100],
  ['carol', 100],
])

/** Reading and writing take time, so without a lock two changes could overwrite each other. */
async function change(account: string, amount: number): Promise<void> {
  await accounts.forKey(account).synchronized(async () => {
    const balance = balances.get(account) ?? 0
    await pause()
    balances.set(account, balance + amount)
  })
}

async function transfer(from: string, to: string, amount: number): Promise<void> {
  const [first = from, second = to] = [from, to].sort()
  await accounts.forKey(first).synchronized(() =>
    accounts.forKey(second).synchronized(async () => {
      await change(from, -amount)
      await change(to, amount)
    }),
  )
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1))
}

async function main(): Promise<void> {
  const transfers: Promise<void>[] = []
  for (let i = 0; i < 10; i++) {
    transfers.push(transfer('alice', 'bob', 3), transfer('bob', 'carol', 2), transfer('carol', 'alice', 1))
  }
  await Promise.all(transfers)
  console.log([...balances].map(([account, balance]) => `${account}: ${balance}`).join(', '))
}

void main()
