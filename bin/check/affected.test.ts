import { expect, test } from 'vitest'
import { findAffected } from './affected.ts'

const nothing = {
  lint: 'none',
  types: 'none',
  boundaries: 'none',
  schema: 'none',
  unit: 'none',
  integration: 'none',
  build: 'none',
  built: 'none',
  e2e: 'none',
  prove: 'none',
}
const sources = { lint: 'all', types: 'all', boundaries: 'all', unit: 'all' }

test('no change affects nothing', () => {
  expect(findAffected([])).toEqual(nothing)
})

test('a document affects lint and the unit tests, which hold it to the code', () => {
  expect(findAffected(['docs/scale.md', 'README.md'])).toEqual({ ...nothing, lint: 'all', unit: 'all' })
})

test('a file of lib affects the tests that import it, the pages, the browser and the proofs', () => {
  const all = { ...sources, integration: 'importers', build: 'all', built: 'all', e2e: 'all', prove: 'all' }
  expect(findAffected(['lib/deliveries/ingest/store.ts', 'lib/deliveries/ingest/store.test.ts'])).toEqual({
    ...nothing,
    ...all,
  })
})

test.each([
  'sandbox/deliveries/send.ts',
  'bin/postgres.ts',
  'prisma/migrations/1/migration.sql',
  'server.ts',
  'test/ingest-process.ts',
  'biome.json',
])('%s is run as a program or read from disk: it affects every integration test', (file) => {
  expect(findAffected([file])).toMatchObject({ integration: 'all' })
})

test('a test of the database affects itself', () => {
  const changed = findAffected(['lib/deliveries/ingest/receive.db.test.ts'])
  expect(changed).toEqual({ ...nothing, ...sources, integration: 'importers' })
})

test('a browser test affects the browser tests that import it', () => {
  const changed = findAffected(['e2e/live.spec.ts'])
  expect(changed).toEqual({ ...nothing, ...sources, integration: 'importers', e2e: 'importers' })
})

test.each(['schema/people.prisma', 'migrations/1/migration.sql'])('prisma/%s affects the schema', (file) => {
  expect(findAffected([`prisma/${file}`])).toMatchObject({ schema: 'all', e2e: 'all' })
})
