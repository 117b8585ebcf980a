import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createEmptyDatabase } from '../test/postgres.ts'
import { until } from './test/running.ts'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('.', import.meta.url))

/** A merchant's machine runs the packed program in JavaScript, because Node does not strip types from installed packages. */
beforeAll(() => run('npm', ['run', 'prepack'], { cwd: folder }), 120_000)

const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

function start(variables: Record<string, string>, ...words: string[]) {
  const child = spawn(process.execPath, ['dist/main.js', ...words], {
    cwd: folder,
    env: {
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SANDBOX_PORT: '0',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let printed = ''
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => {
      printed += chunk
    })
  return { child, printed: () => printed }
}

async function printedAtOnce(...words: string[]) {
  const { child, printed } = start({}, ...words)
  const [code] = await once(child, 'close')
  return { code, text: printed() }
}

const addresses = /Console +(\S+)\n +Every call +(\S+)\n +Base address +(\S+)\n +API key +(\S+) \(made/

describe('the packed sandbox, started alone', () => {
  it('says what it needs when it is asked', async () => {
    const { code, text } = await printedAtOnce('--help')
    expect(code).toBe(0)
    expect(text).toContain('CREATE DATABASE sandbox')
    expect(text).toMatch(/SANDBOX_DATABASE_URL +the address of a PostgreSQL database/)
  })

  it('says in one line that it has no database, and how to get one', async () => {
    const { code, text } = await printedAtOnce()
    expect(code).toBe(1)
    expect(text).toMatch(/^SANDBOX_DATABASE_URL is missing: .*--help.*\n$/)
  })

  it('refuses words that it does not know', async () => {
    expect(await printedAtOnce('--port')).toEqual({
      code: 1,
      text: expect.stringMatching(/^There is no --port: .*\n$/),
    })
  })

  it('makes an API key, says where everything is, and answers there', async () => {
    const database = await createEmptyDatabase()
    const { child, printed } = start({ SANDBOX_DATABASE_URL: database.url })
    const [, console, docs, base, key] = await until(
      () => {
        if (child.exitCode !== null) throw new Error(printed())
        return addresses.exec(printed()) ?? false
      },
      'the addresses',
      45_000,
    )
    const status = async (url: string, headers = {}) => (await fetch(url, { headers })).status
    expect(await status(`${console}`)).toBe(200)
    expect(await status(`${docs}`)).toBe(200)
    expect(await status(`${base}/supported/countries`)).toBe(401)
    expect(await status(`${base}/supported/countries`, { Authorization: key })).toBe(200)
    const sheet = await (await fetch(`${console}console.css`)).text()
    const typeface = /url\(\/(fonts\/[^)]+)\)/.exec(sheet)?.[1]
    expect(await status(`${console}${typeface}`)).toBe(200)
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(0)
    await database.drop()
  })
})
