import 'server-only'
import type pg from 'pg'
import type { SecretDigester } from '#lib/keys/secret-digest.ts'
import { causeOf, limitedLog } from '#lib/log/limited.ts'
import { noting } from '#lib/log/noting.ts'
import { logOf } from '#lib/log.ts'

const log = logOf('ingest')
const limited = limitedLog(log)

/** Compares the keys of this process with the keys that the database has recorded. */
export interface OwnKeyCheck {
  /** Ids of the keys that match their first use; null before the check. */
  readonly usable: ReadonlySet<string> | null
  /** Checks them and says aloud which cannot be used. Throws when the database does not answer. */
  check(): Promise<ReadonlySet<string>>
  /** Reports that a secret was stored under this key and cannot be checked here. */
  report(keyId: string): void
  /** An orderly end. */
  close(): Promise<void>
}

/**
 * With a wrong key every secret would look wrong, and valid deliveries would be refused for good. A key that
 * does not match its first use is therefore not used, and staff are warned as long as this process runs.
 */
export function openOwnKeyCheck(pool: pg.Pool, digester: SecretDigester, processId: string): OwnKeyCheck {
  let usable: ReadonlySet<string> | null = null
  const reported = new Set<string>()

  async function recordFault(keyId: string, kind: 'changed' | 'missing') {
    if (reported.has(keyId)) return
    reported.add(keyId)
    log.error({ keyId, kind }, lines[kind](keyId))
    await pool.query(INSERT_FAULT, [processId, keyId, kind])
  }

  return {
    get usable() {
      return usable
    },
    async check() {
      const usableIds = await readUsableKeyIds(pool, digester)
      await pool.query(DELETE_OF_DEAD)
      for (const id of digester.keyIds) if (!usableIds.has(id)) await recordFault(id, 'changed')
      const { rows } = await pool.query<{ key_id: string }>(USED)
      for (const { key_id } of rows)
        if (!digester.keyIds.includes(key_id)) await recordFault(key_id, 'missing')
      usable = usableIds
      return usableIds
    },
    report(keyId) {
      const kind = digester.keyIds.includes(keyId) ? 'changed' : 'missing'
      void recordFault(keyId, kind).catch((error: unknown) => {
        reported.delete(keyId)
        limited.warn(causeOf(error), { err: error }, 'A wrong key could not be noted for the pages')
      })
    },
    async close() {
      await pool
        .query('DELETE FROM key_fault WHERE process = $1', [processId])
        .catch(
          noting(log)('debug', 'What is wrong with the keys stays noted until others find this process gone'),
        )
    },
  }
}

const remedy =
  'Deliveries whose secrets are kept under it are answered 503, so that the service sends them again. Put the right value back into RAMPART_KEYS and restart.'

const lines = {
  changed: (id: string) =>
    `RAMPART_KEYS: the key ${id} is not the one that this database was first used with. ${remedy}`,
  missing: (id: string) => `RAMPART_KEYS: the key ${id} is missing. ${remedy}`,
}

/** Remembers a key that is seen for the first time. */
async function readUsableKeyIds(pool: pg.Pool, digester: SecretDigester): Promise<ReadonlySet<string>> {
  const marks = digester.keyIds.map((id) => ({
    name: `digest-key:${id}`,
    mark: hexOf(digester.keyFingerprint(id)),
  }))
  await pool.query(
    `INSERT INTO setting (key, value)
     SELECT name, to_jsonb(mark) FROM unnest($1::text[], $2::text[]) AS given (name, mark)
     ON CONFLICT (key) DO NOTHING`,
    [marks.map(({ name }) => name), marks.map(({ mark }) => mark)],
  )
  const { rows } = await pool.query<{ key: string; value: unknown }>(
    'SELECT key, value FROM setting WHERE key = ANY($1)',
    [marks.map(({ name }) => name)],
  )
  const kept = new Map(rows.map(({ key, value }) => [key, value]))
  return new Set(digester.keyIds.filter((_, i) => kept.get(marks[i]?.name ?? '') === marks[i]?.mark))
}

const hexOf = (bytes: Buffer | null) => bytes?.toString('hex') ?? ''

const USED = `SELECT DISTINCT secret_key_id AS key_id FROM receiver WHERE state <> 'closed' AND secret_key_id IS NOT NULL`

const INSERT_FAULT = `
  INSERT INTO key_fault (process, key_id, kind) VALUES ($1, $2, $3)
  ON CONFLICT (process, key_id) DO UPDATE SET kind = EXCLUDED.kind`

const DELETE_OF_DEAD = `
  DELETE FROM key_fault WHERE NOT EXISTS (SELECT FROM lease WHERE name = 'ingest:' || process)`
