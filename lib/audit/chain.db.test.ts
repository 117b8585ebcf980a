import crypto from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { newBrowser } from '../../test/callers.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { readHead } from './heads.ts'
import { type ChainFault, chainFaultText, restoreText } from './labels/chain-faults.ts'
import { type AuditEntry, commandLine, recordAudit } from './record-audit.ts'
import { verifyChain } from './verify-chain.ts'

const browser = newBrowser()
let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
})
beforeEach(() => pool.query('TRUNCATE audit, audit_link, audit_reason'))
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const entry = (given: Partial<AuditEntry> = {}): AuditEntry => ({
  actor: { id: crypto.randomUUID(), role: 'admin' },
  action: 'gap.close',
  target: 'a:b-c',
  outcome: 'done',
  reason: 'žluťoučký 🐎 "quoted" \\ and\nlines',
  details: { numbers: [], one: 1e21, text: 'ü', nothing: null, list: ['a', 'b'] },
  ...given,
})

const add = (given?: Partial<AuditEntry>) =>
  inTransaction(pool, (tx) => recordAudit(tx, entry(given), browser))

async function addMany(many: number) {
  for (let n = 0; n < many; n++) await add()
}

const idAt = async (position: number) => {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT entry_id AS id FROM audit_link WHERE position = $1',
    [position],
  )
  return rows[0]?.id ?? ''
}

const faults = async (): Promise<readonly ChainFault[]> => (await verifyChain(pool)).faults

it('a long chain is read as a whole where the database limits statements and transactions', async () => {
  const name = new URL(database.url).pathname.slice(1)
  await addMany(2)
  await pool.query(`
    ALTER DATABASE "${name}" SET statement_timeout = 200;
    ALTER TABLE audit_link RENAME TO kept_link;
    CREATE FUNCTION slowly() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.3); RETURN true; END $$;
    CREATE VIEW audit_link AS SELECT * FROM kept_link WHERE slowly()`)
  const limited = openPool(database.url, 1)
  expect(await verifyChain(limited)).toMatchObject({ length: 2n, faults: [] })
  expect((await limited.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '200ms' }])
  await limited.end()
  await pool.query(`
    ALTER DATABASE "${name}" RESET statement_timeout;
    DROP VIEW audit_link; DROP FUNCTION slowly; ALTER TABLE kept_link RENAME TO audit_link`)
})

it('an untouched chain holds, whatever its entries say', async () => {
  await addMany(3)
  await add({ actor: null, action: 'session.end', outcome: 'refused' })
  const { target: _target, reason: _reason, details: _details, ...bare } = entry()
  await inTransaction(pool, (tx) => recordAudit(tx, bare, { ip: null, userAgent: null }))
  expect(await verifyChain(pool)).toEqual({
    length: 5n,
    entries: 5,
    expired: 0,
    older: 0,
    reasonsRemoved: 0,
    heads: 0,
    restores: [],
    faults: [],
    faultCount: 0,
  })
})

it('an empty chain holds', async () => {
  expect(await verifyChain(pool)).toMatchObject({ length: 0n, faultCount: 0 })
})

it('a chain that is longer than one step of reading holds', async () => {
  await pool.query(
    `INSERT INTO audit (id, action, outcome) SELECT gen_random_uuid(), 'gap.close', 'done' FROM generate_series(1, 2500)`,
  )
  expect(await verifyChain(pool)).toMatchObject({ length: 2500n, faultCount: 0 })
})

describe('is found, and where:', () => {
  it.each([
    ['the reason', `reason = 'nothing of the kind'`],
    ['the actor', `actor = 'somebody else'`],
    ['a detail', `details = details || '{"one": 2}'`],
    ['the time', `at = at - interval '1 ms'`],
    ['the address', 'ip = NULL'],
    ['its own end', `expires_at = now()`],
  ])('a row that was forged in %s', async (_what, change) => {
    await addMany(5)
    const entryId = await idAt(3)
    await pool.query(`UPDATE audit SET ${change} WHERE id = $1`, [entryId])
    expect(await faults()).toEqual([{ kind: 'entry-changed', position: 3n, entryId }])
  })

  it.each([
    ['changed', `UPDATE audit_reason SET text = 'nothing of the kind'`],
    ['given another salt', `UPDATE audit_reason SET salt = '\\x00'`],
    ['emptied by halves', 'UPDATE audit_reason SET salt = NULL'],
    ['taken away whole', 'DELETE FROM audit_reason'],
  ])('a reason that was %s', async (_what, change) => {
    await addMany(3)
    const entryId = await idAt(2)
    await pool.query(`${change} WHERE entry_id = $1`, [entryId])
    expect(await faults()).toEqual([{ kind: 'entry-changed', position: 2n, entryId }])
  })

  it('a reason that was put beside an entry without one', async () => {
    await pool.query(
      `INSERT INTO audit (id, action, outcome) VALUES (gen_random_uuid(), 'gap.close', 'done')`,
    )
    const entryId = await idAt(1)
    await pool.query(`INSERT INTO audit_reason VALUES ($1, 'because', '\\x00')`, [entryId])
    expect(await faults()).toEqual([{ kind: 'entry-changed', position: 1n, entryId }])
  })

  it.each([
    ['earlier than an entry before it', '2020-01-01', 3n],
    ['in the future', '2120-01-01', 3n],
  ])('a row whose time is %s, though it is linked', async (_what, at, position) => {
    await addMany(2)
    await pool.query(
      `INSERT INTO audit (id, at, action, outcome) VALUES (gen_random_uuid(), $1, 'member.admin', 'done')`,
      [at],
    )
    await addMany(2)
    const entryId = await idAt(3)
    expect(await faults()).toMatchObject([{ kind: 'time-wrong', position, entryId }])
    expect((await faults()).map(chainFaultText)).toEqual([
      expect.stringContaining(`Entry ${entryId} at position 3 says ${at}T`),
    ])
  })

  it('no row that is only as much earlier as its transaction lasted', async () => {
    await addMany(2)
    await pool.query(
      `INSERT INTO audit (id, at, action, outcome) VALUES (gen_random_uuid(), now() - interval '50 minutes', 'gap.close', 'done')`,
    )
    expect(await faults()).toEqual([])
  })

  it('a row that was forged together with its link', async () => {
    await addMany(5)
    const entryId = await idAt(3)
    await pool.query(`UPDATE audit SET reason = 'nothing of the kind' WHERE id = $1`, [entryId])
    await pool.query(
      `UPDATE audit_link AS link SET entry_digest = audit_entry_digest(audit)
       FROM audit WHERE audit.id = link.entry_id AND position = 3`,
    )
    expect(await faults()).toEqual([{ kind: 'link-changed', position: 3n, entryId }])
    await pool.query(
      `UPDATE audit_link SET digest = sha256(previous || int8send(position) || entry_digest || '-'::bytea)
       WHERE position = 3`,
    )
    expect(await faults()).toEqual([{ kind: 'link-changed', position: 4n, entryId: await idAt(4) }])
  })

  it('a row that was put in past the trigger', async () => {
    await addMany(2)
    const entryId = crypto.randomUUID()
    const client = await pool.connect()
    await client.query(`SET session_replication_role = replica`)
    await client.query(`INSERT INTO audit (id, action, outcome) VALUES ($1, 'gap.close', 'done')`, [entryId])
    client.release(true)
    expect(await faults()).toEqual([{ kind: 'entry-not-linked', entryId }])
  })

  it('a row that was deleted', async () => {
    await addMany(5)
    const entryId = await idAt(2)
    await pool.query('DELETE FROM audit WHERE id = $1', [entryId])
    expect(await faults()).toEqual([{ kind: 'entry-deleted', position: 2n, entryId }])
  })

  it('a row that was deleted together with its link', async () => {
    await addMany(5)
    const entryId = await idAt(3)
    await pool.query('DELETE FROM audit WHERE id = $1', [entryId])
    await pool.query('DELETE FROM audit_link WHERE position = 3')
    expect(await faults()).toEqual([{ kind: 'links-missing', from: 3n, to: 3n }])
  })

  it('a beginning that was cut off', async () => {
    await addMany(5)
    await pool.query(`DELETE FROM audit WHERE id IN (SELECT entry_id FROM audit_link WHERE position < 3)`)
    await pool.query('DELETE FROM audit_link WHERE position < 3')
    expect(await faults()).toEqual([{ kind: 'links-missing', from: 1n, to: 2n }])
  })

  it('two rows that changed places', async () => {
    await addMany(5)
    const [second, fourth] = [await idAt(2), await idAt(4)]
    await pool.query(
      `UPDATE audit AS one SET at = other.at, actor = other.actor, reason = other.reason || '!'
       FROM audit AS other WHERE (one.id = $1 AND other.id = $2) OR (one.id = $2 AND other.id = $1)`,
      [second, fourth],
    )
    expect(await faults()).toEqual([
      { kind: 'entry-changed', position: 2n, entryId: second },
      { kind: 'entry-changed', position: 4n, entryId: fourth },
    ])
  })

  it('two links that changed places', async () => {
    await addMany(5)
    await pool.query('UPDATE audit_link SET position = -position WHERE position IN (2, 4)')
    await pool.query('UPDATE audit_link SET position = 6 + position WHERE position < 0')
    const found = await faults()
    expect(found[0]).toEqual({ kind: 'link-changed', position: 2n, entryId: await idAt(2) })
    expect(found.map(({ kind }) => kind)).toEqual(Array(found.length).fill('link-changed'))
  })

  it('an end that was cut off, by a head that was given away', async () => {
    await addMany(5)
    const head = await readHead(pool)
    await pool.query(`DELETE FROM audit WHERE id IN (SELECT entry_id FROM audit_link WHERE position > 3)`)
    await pool.query('DELETE FROM audit_link WHERE position > 3')
    expect(await faults()).toEqual([])
    const cut = { kind: 'end-cut', from: 4n, to: 5n, headAt: head?.at }
    expect((await verifyChain(pool, head ? [head] : [])).faults).toEqual([cut])
  })

  it('an end that was cut off and grown over, and a chain written anew', async () => {
    await addMany(5)
    const head = await readHead(pool)
    await pool.query(`DELETE FROM audit WHERE id IN (SELECT entry_id FROM audit_link WHERE position > 3)`)
    await pool.query('DELETE FROM audit_link WHERE position > 3')
    await addMany(4)
    expect(await faults()).toEqual([])
    expect((await verifyChain(pool, head ? [head] : [])).faults).toEqual([
      { kind: 'head-differs', position: 5n, headAt: head?.at },
    ])
  })
})

describe('a database that was restored from a backup', () => {
  /** The entries up to 6 each have a head; a backup keeps the first `kept` of them. */
  async function restoreTo(kept: number) {
    const heads = []
    for (let n = 1; n <= 6; n++) {
      await add()
      heads.push(await givenHead())
    }
    await cutTo(kept)
    return heads
  }

  const givenHead = async () => {
    const head = await readHead(pool)
    if (!head) throw new Error('The chain is empty')
    return head
  }

  const cutTo = async (kept: number) => {
    await pool.query('DELETE FROM audit WHERE id IN (SELECT entry_id FROM audit_link WHERE position > $1)', [
      kept,
    ])
    await pool.query('DELETE FROM audit_link WHERE position > $1', [kept])
  }

  async function say(kept: number, given: Partial<AuditEntry> = {}) {
    const { rows } = await pool.query<{ digest: string }>(
      `SELECT encode(digest, 'hex') AS digest FROM audit_link WHERE position = $1`,
      [kept],
    )
    const details = { kept, digest: rows[0]?.digest ?? '' }
    await add({ actor: commandLine, action: 'database.restore', details, ...given })
  }

  it('holds again once an entry names the last position that was kept', async () => {
    const heads = await restoreTo(4)
    await add()
    expect((await verifyChain(pool, heads)).faultCount).toBe(2)
    await say(4)
    heads.push(await givenHead())
    await add()
    const report = await verifyChain(pool, heads)
    expect(report).toMatchObject({ faultCount: 0, heads: 5 })
    expect(report.restores).toMatchObject([{ position: 6n, kept: 4n, heads: 2, latest: 6n }])
    expect(report.restores.map(restoreText)).toEqual([
      expect.stringMatching(
        /^A backup was restored, as the entry at position 6 says: 2 heads name entries after position 4, up to position 6, that were written before .*Z and are not here\.$/,
      ),
    ])
  })

  it('holds after a second one, from before the first was said', async () => {
    const heads = await restoreTo(4)
    await say(4)
    heads.push(await givenHead())
    await cutTo(3)
    await say(3)
    heads.push(await givenHead())
    expect(await verifyChain(pool, heads)).toMatchObject({
      faultCount: 0,
      restores: [{ kept: 3n, heads: 4 }],
    })
  })

  it('is still held to what was kept, and to what was written since', async () => {
    const heads = await restoreTo(4)
    await say(4)
    const since = await givenHead()
    await cutTo(4)
    await say(4)
    await add()
    // The restore explains only heads that were given before it was recorded.
    const later = { ...since, at: new Date(Date.now() + 60_000).toISOString() }
    const kept = { position: 3n, digest: Buffer.alloc(32), at: heads[2]?.at ?? '' }
    const found = await verifyChain(pool, [...heads, later, kept])
    expect(found.faults).toMatchObject([
      { kind: 'head-differs', position: 3n },
      { kind: 'head-differs', position: 5n, headAt: later.at },
    ])
  })

  it.each<[string, (kept: number) => Promise<void>]>([
    ['somebody else than the command', (kept) => say(kept, { actor: { id: 'kim', role: 'admin' } })],
    ['one that only began', (kept) => say(kept, { outcome: 'begun' })],
    [
      'one that does not name the link that was kept',
      (kept) => say(kept, { details: { kept, digest: 'aa' } }),
    ],
    ['one that names no position', (kept) => say(kept, { details: { kept: 'four' } })],
  ])('is not explained by the entry of %s', async (_who, saying) => {
    const heads = await restoreTo(4)
    await saying(4)
    expect((await verifyChain(pool, heads)).faults.map(({ kind }) => kind)).toEqual([
      'head-differs',
      'end-cut',
    ])
  })

  it('is not explained by an entry that was changed', async () => {
    const heads = await restoreTo(4)
    await say(4)
    await pool.query(`UPDATE audit SET details = details || '{"more": 1}' WHERE action = 'database.restore'`)
    expect((await verifyChain(pool, heads)).faults.map(({ kind }) => kind)).toEqual([
      'entry-changed',
      'head-differs',
      'end-cut',
    ])
  })
})

it('a reason that was removed leaves the chain whole, and is counted', async () => {
  await addMany(2)
  // Older versions stored the reason in the entry itself.
  await pool.query(
    `INSERT INTO audit (id, action, outcome, reason) VALUES (gen_random_uuid(), 'gap.close', 'done', 'of old')`,
  )
  await add()
  const ids = [await idAt(2), await idAt(3)]
  await pool.query('SELECT erase_audit_reasons($1)', [ids])
  expect(await verifyChain(pool)).toMatchObject({ entries: 6, reasonsRemoved: 2, faultCount: 0 })
  expect((await pool.query('SELECT FROM audit WHERE reason IS NOT NULL')).rowCount).toBe(0)
  // A whole entry is still checked against its digest, and so is what remains of an entry without its reason.
  await pool.query(`UPDATE audit SET actor = 'somebody else' WHERE id = $1`, [ids[0]])
  expect(await faults()).toEqual([{ kind: 'entry-changed', position: 2n, entryId: ids[0] }])
})

describe('is found, though its reason is gone:', () => {
  const forge = `UPDATE audit SET actor = 'somebody else', reason = NULL, reason_digest = NULL WHERE id = $1`
  const empty = `INSERT INTO audit_reason (entry_id) VALUES ($1)
    ON CONFLICT (entry_id) DO UPDATE SET text = NULL, salt = NULL`

  it.each([
    ['with a reason', 'a test'],
    ['without one', undefined],
  ])('a row %s, forged as one whose reason was removed', async (_what, reason) => {
    const { reason: _reason, ...bare } = entry()
    const given = reason === undefined ? bare : { ...bare, reason }
    for (let n = 0; n < 3; n++) await inTransaction(pool, (tx) => recordAudit(tx, given, browser))
    const entryId = await idAt(2)
    await pool.query(forge, [entryId])
    await pool.query(empty, [entryId])
    expect(await faults()).toEqual([{ kind: 'entry-changed', position: 2n, entryId }])
  })

  it('a reason that the owner of the tables removed without a word', async () => {
    await addMany(3)
    const entryId = await idAt(2)
    await pool.query(empty, [entryId])
    expect(await faults()).toEqual([{ kind: 'reason-removed', position: 2n, entryId }])
    // The application can remove a reason only by the function, which records it. A reason that is already gone
    // is not explained by that.
    await pool.query('SELECT erase_audit_reasons($1)', [[entryId]])
    expect(await faults()).toEqual([{ kind: 'reason-removed', position: 2n, entryId }])
  })

  it('an older row that was forged after its reason was removed, and said to have been so', async () => {
    await pool.query(
      `INSERT INTO audit (id, action, outcome, reason) VALUES (gen_random_uuid(), 'gap.close', 'done', 'of old')`,
    )
    const entryId = await idAt(1)
    await pool.query('SELECT erase_audit_reasons($1)', [[entryId]])
    expect(await verifyChain(pool)).toMatchObject({ reasonsRemoved: 1, faultCount: 0 })
    await pool.query(forge, [entryId])
    const found = [{ kind: 'entry-changed', position: 1n, entryId }]
    expect(await faults()).toEqual(found)
    await pool.query(
      `INSERT INTO audit (id, action, target, outcome, details)
       SELECT gen_random_uuid(), 'audit.remove-reason', id::text, 'done',
         jsonb_build_object('digest', encode(audit_entry_digest(audit), 'hex')) FROM audit WHERE id = $1`,
      [entryId],
    )
    expect(await faults()).toEqual(found)
  })
})

it('each fault has a sentence', async () => {
  await addMany(3)
  await pool.query('DELETE FROM audit_link WHERE position = 2')
  expect((await faults()).map(chainFaultText)).toEqual([
    'Position 2 is missing from the chain.',
    expect.stringMatching(/^Entry .* has no place in the chain/),
  ])
})

it('a refused sign-in may go when its time is over, and not before', async () => {
  await add({ actor: null, action: 'session.start', outcome: 'refused' })
  await add()
  const entryId = await idAt(1)
  expect((await pool.query('SELECT expire_audit(100) AS gone')).rows).toEqual([{ gone: 0 }])
  await pool.query('DELETE FROM audit WHERE id = $1', [entryId])
  expect(await faults()).toEqual([{ kind: 'entry-deleted', position: 1n, entryId }])

  await pool.query(
    `INSERT INTO audit (id, at, action, outcome, expires_at)
     VALUES (gen_random_uuid(), now() - interval '91 days', 'session.start', 'refused', now() - interval '1 day')`,
  )
  expect((await pool.query('SELECT expire_audit(100) AS gone')).rows).toEqual([{ gone: 1 }])
  expect(await verifyChain(pool)).toMatchObject({ expired: 1, entries: 1, faultCount: 1 })
})

describe('transactions', () => {
  it('wait for one another at their commit alone', async () => {
    const [first, second] = [await pool.connect(), await pool.connect()]
    const insert = `INSERT INTO audit (id, action, outcome) VALUES (gen_random_uuid(), 'gap.close', 'done')`
    await first.query('BEGIN')
    await first.query(insert)
    // The first transaction stays open, like one that waits for the service.
    await second.query('BEGIN')
    await second.query(insert)
    await second.query('COMMIT')
    await first.query('COMMIT')
    first.release()
    second.release()
    expect(await verifyChain(pool)).toMatchObject({ length: 2n, faultCount: 0 })
  })

  it('many at once make one chain without a gap', async () => {
    await Promise.all(Array.from({ length: 60 }, () => add()))
    expect(await verifyChain(pool)).toMatchObject({ length: 60n, faultCount: 0 })
  })

  it('one that is rolled back leaves no gap', async () => {
    await add()
    await expect(
      inTransaction(pool, async (tx) => {
        await recordAudit(tx, entry(), browser)
        throw new Error('something else failed')
      }),
    ).rejects.toThrow('something else failed')
    await add()
    expect(await verifyChain(pool)).toMatchObject({ length: 2n, faultCount: 0 })
  })
})
