import 'server-only'
import type pg from 'pg'
import {
  agreeOnKeys,
  announceKeys,
  type KeyAgreement,
  processLives,
  readKeysOfOthers,
  readWrongKeyIds,
  rememberKeys,
  sweepKeys,
  withdrawKeys,
} from '#lib/platform/keys/agree-on-keys.ts'
import type { SecretDigester } from '#lib/platform/keys/digests-and-seals.ts'
import { causeOf, limitedLog, noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'

const log = logOf('ingest')
const limited = limitedLog(log)

/**
 * `OwnKeyCheck` compares the keys of this process with those that the database has recorded, and with those of other
 * processes.
 */
export interface OwnKeyCheck {
  /** These ids are of keys that match their first use; null before the check. */
  readonly usable: ReadonlySet<string> | null
  /** The check found these keys to be wrong; empty before it. */
  readonly faults: readonly OwnKeyFault[]
  /** The agreement says which key new secrets are stored under, given the processes that run now. */
  readonly agreement: KeyAgreement
  /** `check` checks the keys and logs each that cannot be used. It throws when the database does not answer. */
  check(): Promise<ReadonlySet<string>>
  /** `report` records that a secret was stored under this key and cannot be checked here. */
  report(keyId: string): void
  /** `close` is part of an orderly stop. */
  close(): Promise<void>
}

export interface OwnKeyFault {
  readonly keyId: string
  readonly kind: 'changed' | 'missing'
}

/** The process reads the keys of other processes at this interval in milliseconds. */
const checkEveryMs = 3_000

/**
 * With a wrong key every secret would seem wrong, and valid deliveries would be refused for good. A key that does not match
 * its first use is therefore not used, and staff are warned as long as this process runs.
 * @param onAgreed gets the agreement each time it is computed
 */
export function openOwnKeyCheck(
  pool: pg.Pool,
  digester: SecretDigester,
  processId: string,
  onAgreed: (agreement: KeyAgreement) => void,
): OwnKeyCheck {
  let usable: ReadonlySet<string> | null = null
  let faults: readonly OwnKeyFault[] = []
  let agreement = unasked(digester)
  onAgreed(agreement)
  let looking: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const reported = new Map<string, OwnKeyFault>()
  const usableInOrder = () => digester.keyIds.filter((id) => usable?.has(id))

  function agree(next: KeyAgreement) {
    agreement = next
    onAgreed(next)
  }

  async function check() {
    const ids = usableInOrder()
    // The process announces its keys before it reads others. When two start at once, the later one then sees the other.
    await announceKeys(pool, processId, ids)
    const others = await readKeysOfOthers(pool, processId)
    const [newest, ...older] = ids
    agree(newest === undefined ? allWrong : agreeOnKeys([newest, ...older], others))
    // Another process deletes the faults of one that is silent, which may only have lost its database.
    for (const fault of reported.values()) await insertFault(fault)
  }

  function checkAgain() {
    looking = looking.then(check).catch((error: unknown) => {
      agree({ ...agreement, moves: false })
      limited.warn(causeOf(error), { err: error }, 'It is not known which keys other processes have')
    })
  }

  async function recordFault(fault: OwnKeyFault) {
    const { keyId, kind } = fault
    if (reported.has(keyId)) return
    reported.set(keyId, fault)
    log.error({ keyId, kind }, lines[kind](keyId))
    await insertFault(fault)
  }

  const insertFault = ({ keyId, kind }: OwnKeyFault) => pool.query(INSERT_FAULT, [processId, keyId, kind])

  return {
    get usable() {
      return usable
    },
    get faults() {
      return faults
    },
    get agreement() {
      return agreement
    },
    async check() {
      await rememberKeys(pool, digester)
      await pool.query(DELETE_OF_DEAD)
      await sweepKeys(pool)
      faults = await readOwnKeyFaults(pool, digester)
      const wrong = new Set(faults.map(({ keyId }) => keyId))
      const usableIds = new Set(digester.keyIds.filter((id) => !wrong.has(id)))
      usable = usableIds
      // A process that takes no deliveries has no other lease by which its faults are kept.
      await check()
      for (const fault of faults) await recordFault(fault)
      timer ??= setInterval(checkAgain, checkEveryMs)
      timer.unref()
      return usableIds
    },
    report(keyId) {
      const kind = digester.keyIds.includes(keyId) ? 'changed' : 'missing'
      void recordFault({ keyId, kind }).catch((error: unknown) => {
        reported.delete(keyId)
        limited.warn(causeOf(error), { err: error }, 'A wrong key could not be noted for the pages')
      })
    },
    async close() {
      clearInterval(timer)
      await looking
      await withdrawKeys(pool, processId, usableInOrder()).catch(
        noting(log)('debug', 'Other processes wait a minute for the keys of this one'),
      )
      await pool
        .query('DELETE FROM key_fault WHERE process = $1', [processId])
        .catch(
          noting(log)('debug', 'What is wrong with the keys stays noted until others find this process gone'),
        )
    },
  }
}

/** `readOwnKeyFaults` only reads: a key that the database has never seen is no fault. */
export async function readOwnKeyFaults(pool: pg.Pool, digester: SecretDigester): Promise<OwnKeyFault[]> {
  const wrong = await readWrongKeyIds(pool, digester)
  const { rows } = await pool.query<{ key_id: string }>(USED)
  return [
    ...[...wrong].map((keyId) => ({ keyId, kind: 'changed' as const })),
    ...rows
      .filter(({ key_id }) => !digester.keyIds.includes(key_id))
      .map(({ key_id }) => ({ keyId: key_id, kind: 'missing' as const })),
  ]
}

const remedy =
  'Deliveries whose secrets are kept under it are answered 503, so that the service sends them again. Put the right value back into RAMPART_KEYS and restart.'

const lines = {
  changed: (id: string) =>
    `RAMPART_KEYS: the key ${id} is not the one that this database was first used with. ${remedy}`,
  missing: (id: string) => `RAMPART_KEYS: the key ${id} is missing. ${remedy}`,
}

/**
 * The oldest key writes until the keys of other processes are known: another process probably has the oldest key, if it has
 * any of these.
 */
const unasked = ({ keyIds }: SecretDigester): KeyAgreement => ({
  writes: keyIds.at(-1) ?? keyIds[0],
  moves: false,
})

/** Nothing is written under a wrong key: with the right one back under its id, valid deliveries would be refused for good. */
const allWrong: KeyAgreement = { writes: null, moves: false }

const USED = `SELECT DISTINCT secret_key_id AS key_id FROM receiver WHERE state <> 'closed' AND secret_key_id IS NOT NULL`

const INSERT_FAULT = `
  INSERT INTO key_fault (process, key_id, kind) VALUES ($1, $2, $3)
  ON CONFLICT DO NOTHING`

const DELETE_OF_DEAD = `DELETE FROM key_fault WHERE NOT ${processLives}`
