import crypto from 'node:crypto'
import zlib from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Projector, startProjector } from '#lib/timeline/projector/projector.ts'
import { exchange, startBothWays } from '../../../test/both-ways.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { captureLog } from '../../../test/log.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'

// Malformed bodies are answered 2xx too: they are stored byte for byte, are on the timeline, and harm no other delivery.

let database: TestDatabase
let server: Awaited<ReturnType<typeof startBothWays>>
let projector: Projector
let receiver: { id: string; authorization: string }
const logged = captureLog()

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startBothWays(database.url)
  projector = await startProjector({ url: database.url })
  receiver = await addReceiver(server.pool)
})
afterAll(async () => {
  await projector.stop()
  await server.stop()
  await database.drop()
})

/** The case expects these values on the timeline and in the transaction. */
interface Seen {
  readonly unreadable?: string | null
  readonly type?: string | null
  readonly sub_type?: string | null
  readonly status?: string | null
  readonly entity_uuid?: string | null
  readonly amount_fiat?: string | null
  readonly step?: string | null
  /** The uuid is that of the transaction; null when the event belongs to none. */
  readonly transaction?: string | null
}

const entity = crypto.randomUUID()
const known = crypto.randomUUID()
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const about = (data: string, rest = '"subType":"PENDING"') =>
  `{"type":"fiatToCrypto",${rest},"uuid":"${entity}","data":${data}}`
const paid = (amount: string) =>
  about(`{"transactionUuid":"${crypto.randomUUID()}","status":"PENDING","amountFiat":${amount}}`)

const whole = (note: string) => about(`{"note":"${note}","status":"A"}`)

const cases: readonly (readonly [title: string, body: string | Buffer, seen: Seen])[] = [
  ['nothing at all', '', { unreadable: 'empty' }],
  ['blanks', ' \n\t', { unreadable: 'empty' }],
  ['words', 'hello', { unreadable: 'not-json' }],
  ['half a notification', '{"type":"KYC","data":{"sta', { unreadable: 'not-json' }],
  ['two notifications', '{"type":"KYC"}{"type":"KYC"}', { unreadable: 'not-json' }],
  ['null', 'null', { unreadable: 'not-an-object' }],
  ['an array', '[{"type":"KYC"}]', { unreadable: 'not-an-object' }],
  ['a number', '1e400', { unreadable: 'not-an-object' }],
  ['an empty object', '{}', { unreadable: null, type: null }],
  ['an array nested 5,000 deep', nested(5_000), { unreadable: 'not-an-object' }],
  ['data nested 5,000 deep', about(`{"deep":${nested(5_000)}}`), { unreadable: null, type: 'fiatToCrypto' }],
  ['brackets without an end', '['.repeat(200_000), { unreadable: 'not-json' }],
  ['compressed bytes', zlib.gzipSync('{"type":"KYC"}'), { unreadable: 'not-utf8' }],
  ['invalid UTF-8', Buffer.from('{"type":"KYC\xff"}', 'latin1'), { unreadable: 'not-utf8' }],
  ['half a character', Buffer.from('{"type":"\u20ac"}').subarray(0, 11), { unreadable: 'not-utf8' }],
  ['a NUL byte', '{"type":"K\u0000YC"}', { unreadable: 'not-json' }],
  [
    'an escaped NUL',
    '{"type":"K\\u0000YC","uuid":"a\\u0000b"}',
    { type: 'K\ufffdYC', entity_uuid: 'a\ufffdb' },
  ],
  ['lone surrogates', '{"type":"K\\ud800YC","uuid":"\\udfff"}', { type: 'K\ufffdYC', entity_uuid: '\ufffd' }],
  ['a byte order mark', '\ufeff{"type":"KYC"}', { unreadable: null, type: 'KYC' }],
  [
    'duplicate keys',
    '{"type":"KYB","type":"KYC","data":{},"data":{"status":"B"}}',
    { type: 'KYC', status: 'B' },
  ],
  ['__proto__', '{"__proto__":{"type":"KYB"},"constructor":{"prototype":1},"type":"KYC"}', { type: 'KYC' }],
  ['only __proto__', '{"__proto__":{"type":"KYB","uuid":"x"}}', { type: null, entity_uuid: null }],
  [
    'fields of other kinds',
    '{"type":1,"subType":[],"uuid":{},"data":"x"}',
    { type: null, entity_uuid: null },
  ],
  [
    'an unknown type',
    '{"type":"cardIssued","subType":"X","uuid":"u"}',
    { type: 'cardIssued', sub_type: 'X' },
  ],
  ['a type of 2,000 characters', `{"type":"${'t'.repeat(2_000)}"}`, { type: `${'t'.repeat(500)}…` }],
  [
    'an unknown subType and status',
    about(`{"transactionUuid":"${crypto.randomUUID()}","status":"NEW_STATUS"}`, '"subType":"NEW_STEP"'),
    { sub_type: 'NEW_STEP', status: 'NEW_STATUS', step: 'NEW_STEP' },
  ],
  ['a uuid in capitals', `{"type":"KYC","uuid":"${entity.toUpperCase()}"}`, { entity_uuid: entity }],
  ['a uuid that is none', '{"type":"KYC","uuid":"nobody"}', { entity_uuid: 'nobody' }],
  ['no uuid', '{"type":"KYC","data":{"status":"A"}}', { type: 'KYC', status: 'A', entity_uuid: null }],
  [
    'a transactionUuid in capitals',
    about(`{"transactionUuid":"${known.toUpperCase()}"}`),
    { transaction: known },
  ],
  [
    'a transactionUuid that is none',
    about('{"transactionUuid":"T-1","status":"A"}'),
    { status: 'A', transaction: 't-1' },
  ],
  ['no transactionUuid', about('{"status":"A"}'), { status: 'A', entity_uuid: entity, transaction: null }],
  [
    'more digits than a float has',
    paid('12345678901234567890.123'),
    { amount_fiat: '12345678901234567890.123' },
  ],
  ['more than a float can be', paid('1e400'), { amount_fiat: `1${'0'.repeat(400)}` }],
  ['an exponent beyond any amount', paid('1e999999999'), { amount_fiat: null }],
  ['minus nothing', paid('-0'), { amount_fiat: '0' }],
  ['a text for an amount', paid('"5"'), { amount_fiat: '5' }],
  ['a last zero', paid('1.10'), { amount_fiat: '1.10' }],
  ['exactly 1 MiB', whole('n'.repeat(1024 * 1024 - whole('').length)), { type: 'fiatToCrypto', status: 'A' }],
]

test.each(cases)(
  '%s: stored unchanged, shown on the timeline, and other deliveries are not affected',
  async (title, body, seen) => {
    const bytes = Buffer.from(body)
    const neighbours = [1, 2].map(() => `{"type":"KYC","uuid":"${crypto.randomUUID()}"}`)
    const ways = Object.entries(server.ports)
    const [before, after, ...ids] = await Promise.all([
      ...ways.map(([, port], n) => send(port, neighbours[n] ?? '')),
      ...ways.map(([, port]) => send(port, body)),
    ])
    for (const [n, id] of ids.entries()) {
      expect((await stored(id))?.equals(bytes), `${title} by ${ways[n]?.[0]}`).toBe(true)
      await expect.poll(() => timeline(id, bytes)).toMatchObject({ ...seen, asItCame: true })
    }
    for (const neighbour of [before, after])
      await expect.poll(() => neighbour && timeline(neighbour)).not.toBeNull()
    const { rows } = await server.pool.query(
      'SELECT FROM delivery_pending WHERE dead_lettered_at IS NOT NULL',
    )
    expect(rows).toEqual([])
    expect(logged.lines).toEqual([])
  },
)

async function send(port: number, body: string | Buffer): Promise<string> {
  const bytes = Buffer.from(body)
  const head = `POST /api/webhooks/${receiver.id} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${receiver.authorization}\r\nContent-Length: ${bytes.length}\r\n\r\n`
  const answer = await exchange(port, [head, bytes])
  expect(answer?.status).toBe(200)
  return JSON.parse(answer?.body ?? '{}').delivery
}

async function stored(id: string): Promise<Buffer | undefined> {
  const { rows } = await server.pool.query<{ body: Buffer }>('SELECT body FROM delivery WHERE id = $1', [id])
  return rows[0]?.body
}

/** The row is the event of a delivery and its transaction; null before it is folded. */
async function timeline(id: string, body?: Buffer) {
  const { rows } = await server.pool.query(
    `SELECT e.*, event_body(e.id, e.envelope) AS body, t.amount_fiat::text, t.step, t.uuid AS transaction FROM event_delivery d
     JOIN event e ON e.subject_id = d.subject_id AND e.id = d.event_id
     LEFT JOIN transaction t ON t.subject_id = d.subject_id
     WHERE d.delivery_id = $1`,
    [id],
  )
  const [row] = rows
  return row ? { ...row, asItCame: body?.equals(row.body) } : null
}
