import { spawn } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { OperatorError } from '#lib/operator-error.ts'

const generatedClient = 'lib/db/generated'

export interface BuildOptions {
  readonly dev: boolean
  readonly logs: string
  readonly say: (line: string) => void
  /** Ends a build that is under way. */
  readonly signal: AbortSignal
}

/** Makes the database client and, unless `dev`, the pages, each only when something it is made from changed. */
export async function build({ dev, logs, say, signal }: BuildOptions) {
  const schema = digestOf(['prisma/schema.prisma', 'package-lock.json'])
  await unlessMade(path.join(generatedClient, '.made-from'), schema, () =>
    run('prisma', ['generate'], logs, signal),
  )
  if (dev) return
  const sources = digestOf([
    'app',
    'components',
    'lib',
    'public',
    'package-lock.json',
    'next.config.mjs',
    'tsconfig.json',
    'postcss.config.mjs',
  ])
  await unlessMade('.next/made-from', sources, () => {
    say('Building the pages; this takes a minute or two.')
    return run('next', ['build'], logs, signal)
  })
}

export class BuildError extends OperatorError {}

async function unlessMade(stamp: string, digest: string, make: () => Promise<void>) {
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === digest) return
  fs.rmSync(stamp, { force: true })
  await make()
  fs.writeFileSync(stamp, digest)
}

async function run(tool: string, words: string[], logs: string, signal: AbortSignal) {
  const log = path.join(logs, `${tool}.log`)
  const output = fs.openSync(log, 'w', 0o600)
  const child = spawn(process.execPath, [path.join('node_modules', '.bin', tool), ...words], {
    stdio: ['ignore', output, output],
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', CHECKPOINT_DISABLE: '1' },
    signal,
  })
  const [code] = await once(child, 'exit')
  fs.closeSync(output)
  if (code !== 0)
    throw new BuildError(`${tool} ${words[0]} failed; its last words, all of them in ${log}:\n${tail(log)}`)
}

/** Names and contents of every file that a build reads; tests are none of them. */
function digestOf(places: string[]): string {
  const hash = crypto.createHash('sha256')
  for (const place of places) {
    if (!fs.existsSync(place)) continue
    const files = fs.statSync(place).isFile()
      ? [place]
      : fs
          .readdirSync(place, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
          .map((entry) => path.join(entry.parentPath, entry.name))
          .filter((file) => !file.startsWith(generatedClient))
          .sort()
    for (const file of files) hash.update(file).update('\0').update(fs.readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

const tail = (file: string) => fs.readFileSync(file, 'utf8').trim().split('\n').slice(-15).join('\n')
