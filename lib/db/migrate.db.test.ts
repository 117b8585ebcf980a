import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../test/postgres.ts'
import { applyMigrations } from './migrate.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createEmptyDatabase()
})
afterAll(() => database.drop())

test('applies every migration once, however many processes start at the same time', async () => {
  const [one, two, three] = await Promise.all([1, 2, 3].map(() => applyMigrations(database.url)))
  const applied = [...(one ?? []), ...(two ?? []), ...(three ?? [])]
  expect(applied.length).toBeGreaterThan(0)
  expect(new Set(applied).size).toBe(applied.length)
  expect(await applyMigrations(database.url)).toEqual([])
})

test('refuses a database in which an applied migration reads differently now', async () => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(`UPDATE _prisma_migrations SET checksum = 'changed'`)
  await client.end()
  await expect(applyMigrations(database.url)).rejects.toThrow(/was changed after it had been applied/)
})
