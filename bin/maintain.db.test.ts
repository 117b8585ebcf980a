import { spawnSync } from 'node:child_process'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readRelease, releaseInWords } from '#lib/platform/release.ts'
import { createEmptyDatabase, type TestDatabase } from '../test/postgres.ts'

let database: TestDatabase

beforeEach(async () => {
  database = await createEmptyDatabase()
})
afterEach(() => database.drop())

/** The supervisor starts the program so, from time to time. The result has its exit code and its log. */
function keepMonths(release: string) {
  const words = ['--import', './bin/hooks.mjs', 'bin/maintain.ts', 'months', release]
  const { status, stdout } = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      RAMPART_PART: 'maintenance',
      PUBLIC_URL: 'http://localhost:3000',
      DATABASE_URL: database.url,
    },
  })
  return { status, stdout }
}

async function hasTables() {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query("SELECT FROM pg_tables WHERE schemaname = 'public'")).rowCount !== 0
  } finally {
    await client.end()
  }
}

test('an upgrade of the files changes no table before the new version starts', async () => {
  const old = keepMonths('0.0.1 (0123456789ab)')
  expect(old.stdout).toContain('The files have another release than Rampart was started with')
  expect(old.status).toBe(0)
  expect(await hasTables()).toBe(false)
})

test('the release that was started has its tables kept', async () => {
  expect(keepMonths(releaseInWords(readRelease())).stdout).not.toContain('another release')
  expect(await hasTables()).toBe(true)
})
