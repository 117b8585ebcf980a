import { fork } from 'node:child_process'
import { once } from 'node:events'
import os from 'node:os'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { configure } from '../../../test/service.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  configure({ DATABASE_URL: database.url })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.drop()
})

test('the program that folds lets those that answer run before it', async () => {
  const child = fork('projector.ts', { execArgv: ['--import', './bin/hooks.mjs'], silent: true })
  await once(child, 'message')
  expect(os.getPriority(child.pid)).toBe(Math.min(os.getPriority() + 5, 19))
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})
