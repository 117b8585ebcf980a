import { subjectId } from '../../../lib/deliveries/rules/subject.ts'
import { openPool } from '../../../lib/platform/db/pool.ts'
import { type BodyReading, readDelivery } from '../../../lib/timeline/projector/bodies.ts'
import { batchSize } from '../../../lib/timeline/projector/pipeline.ts'
import {
  type KnownSubject,
  type NewDelivery,
  nothingKnown,
  projectSubject,
  type SubjectChanges,
} from '../../../lib/timeline/projector/project-subject.ts'
import {
  type BatchWrite,
  beginBatch,
  emptyWrite,
  writeRows,
} from '../../../lib/timeline/projector/write-changes.ts'

// The bare loop writes what the projector writes, with its statements, batches and durability. A message with the number of
// deliveries makes it fold them in memory, and the next message makes it write the rows and their counts. Only the writing
// is measured.
const pool = openPool(process.argv[2] ?? '', 1)
const client = await pool.connect()
let after = '00000000-0000-0000-0000-000000000000'
process.send?.('ready')
for (;;) {
  const batches = await makeReady(Number(await message()))
  process.send?.('ready')
  await message()
  const began = performance.now()
  const before = process.cpuUsage()
  for (const batch of batches) await write(batch)
  const { user, system } = process.cpuUsage(before)
  process.send?.(JSON.stringify({ seconds: (performance.now() - began) / 1_000, cpu: (user + system) / 1e6 }))
}

function message() {
  return new Promise((resolve) => process.once('message', resolve))
}

/** The batches cover the next `deliveries` deliveries. */
async function makeReady(deliveries: number): Promise<BatchWrite[]> {
  const logged = await readLog(deliveries)
  after = logged.at(-1)?.id ?? after
  return batchesOf(logged)
}

interface Logged {
  readonly id: string
  readonly seq: bigint
  readonly received_at: Date
  readonly receiver_id: string
  readonly body: Buffer
}

async function readLog(most: number): Promise<Logged[]> {
  const { rows } = await client.query<Logged>(
    'SELECT id, seq, received_at, receiver_id, body FROM delivery WHERE id > $1 ORDER BY id LIMIT $2',
    [after, most],
  )
  return rows
}

/** Each batch holds what the projector would write, in its order and size. */
function batchesOf(logged: readonly Logged[]): BatchWrite[] {
  const known = new Map<string, KnownSubject>()
  const batches: BatchWrite[] = []
  for (let from = 0; from < logged.length; from += batchSize) {
    const part = logged.slice(from, from + batchSize)
    const changes = fold(part, known)
    const last = part.at(-1)
    batches.push({
      ...emptyWrite,
      changes,
      notify: changes,
      folded: part.map(({ id }) => ({ id, run: null, version: 0 })),
      foldedAsSure: part.map(({ id }) => id),
      lastOnReceiver: new Map(last ? [[last.receiver_id, last.received_at.getTime()]] : []),
    })
  }
  return batches
}

/** `all` is what is known of each subject, before and after. */
function fold(part: readonly Logged[], all: Map<string, KnownSubject>): SubjectChanges[] {
  const reads = part.map((row) => ({ row, ...readDelivery(row.body) }))
  const bySubject = Map.groupBy(reads, ({ subject }) => subjectId(subject))
  return [...bySubject].flatMap(([id, group]) => {
    const added = group.map(({ row, reading }) => newFact(row, reading))
    const subject = group[0]?.subject
    if (!subject) return []
    const { changes, known } = projectSubject(subject, all.get(id) ?? nothingKnown, added, new Set())
    all.set(id, known)
    return changes
  })
}

function newFact({ id, seq, received_at, receiver_id }: Logged, reading: BodyReading): NewDelivery {
  const { fingerprint } = reading
  const fact = { id, order: seq, receivedAt: received_at.getTime(), receiver: receiver_id, fingerprint }
  return { fact: { ...fact, answer: 'sure' }, reading }
}

async function write(batch: BatchWrite) {
  await client.query(beginBatch(12_000))
  await writeRows(client, batch, 0)
  await client.query('COMMIT')
}
