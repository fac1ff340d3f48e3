// Counts the words in a folder of texts: files are listed and read in Rust, a few at a time, and counted as they come.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listFiles, readFiles } from 'ya-syn/fs'

async function countWords(folder: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  // At most 8 MiB are read ahead of the counting.
  const files = readFiles(listFiles(folder, { glob: '**/*.txt' }), { encoding: 'utf8', maxBytesInFlight: 8 << 20 })
  for await (const { data } of files) {
    for (const word of data.split(/\s+/).filter(Boolean)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'count-words-'))
  try {
    for (let i = 1; i <= 100; i++)
      await writeFile(join(folder, `${i}.txt`), `${'lock '.repeat(i % 3)}key ${'task\n'.repeat(2)}`)
    await writeFile(join(folder, 'picture.png'), 'lock')
    const counts = await countWords(folder)
    console.log(
      [...counts]
        .sort()
        .map(([word, count]) => `${word}: ${count}`)
        .join(', '),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

void main()
