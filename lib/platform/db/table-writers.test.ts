import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const sources = ['app', 'bin', 'components', 'lib'].flatMap((folder) =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.ts$|^platform\/db\/generated/.test(name))
    .map((name) => path.join(folder, name)),
)

/** The pattern finds SQL or Prisma calls that insert, change or delete rows of the table. */
const writes = (table: string, model: string) =>
  new RegExp(
    String.raw`\b(?:INTO|UPDATE|DELETE\s+FROM|TRUNCATE|MERGE\s+INTO)\s+(?:ONLY\s+)?"?${table}\b` +
      String.raw`|\.${model}\.(?:create|update|upsert|delete)`,
    'i',
  )

const writesQueue = writes('delivery_pending', 'deliveryPending')
const writesLeases = writes('lease', 'lease')

const writersOf = (pattern: RegExp) => sources.filter((file) => pattern.test(fs.readFileSync(file, 'utf8')))

test('only lib/deliveries/queue writes the queue', () => {
  const writers = writersOf(writesQueue)
  expect(writers).toEqual(
    expect.arrayContaining(['lib/deliveries/queue/enqueue.ts', 'lib/deliveries/queue/take.ts']),
  )
  expect(writers.filter((file) => !file.startsWith('lib/deliveries/queue/'))).toEqual([])
})

/** These other files write leases, for these reasons. */
const exceptions = {
  'lib/deliveries/ingest/process-presence.ts':
    'deletes its own in an orderly end, and that of a dead process together with marking what was not answered',
  'lib/timeline/projector/shard-leases.ts':
    'raises the epochs of all projectors, whoever they are, to fence them out',
}

test('only lib/platform/db/lease.ts writes leases, with few exceptions that have a reason', () => {
  expect(writersOf(writesLeases).sort()).toEqual(
    ['lib/platform/db/lease.ts', ...Object.keys(exceptions)].sort(),
  )
})

test.each([
  'INSERT INTO delivery_pending (delivery_id) VALUES ($1)',
  'UPDATE "delivery_pending" SET run = $1',
  'DELETE FROM delivery_pending',
  'prisma().deliveryPending.deleteMany()',
])('finds %s', (code) => expect(code).toMatch(writesQueue))

test.each([
  'SELECT FROM delivery_pending',
  'prisma().deliveryPending.findMany()',
  'INSERT INTO delivery (id)',
])('ignores %s', (code) => expect(code).not.toMatch(writesQueue))
