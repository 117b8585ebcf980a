import 'server-only'
import type pg from 'pg'
import { acquireLeases, deleteLease, sweepLeases } from '../db/lease.ts'
import { env, type Key } from '../env.ts'

/** A process uses its keys so while others run beside it. */
export interface KeyAgreement {
  /** The id of the key that it writes under. */
  readonly writes: string
  /** True if it moves to that key what it finds under another. */
  readonly moves: boolean
}

/**
 * A process writes under the newest of its keys that every other process can read, and moves what is under another only when all
 * of them have the same newest key: nothing is written that a process cannot read, and no two move it to and fro. Beside a process
 * that does not say what it has, the oldest key writes, which that one most likely has.
 * @param own ids, newest first
 * @param others the same of each other process; null where it does not say. One that has no usable key holds nobody up.
 */
export function agreeOnKeys(
  own: readonly [string, ...string[]],
  others: readonly (readonly string[] | null)[],
): KeyAgreement {
  const beside = others.filter((ids) => ids === null || ids.length > 0)
  const shared = own.find((id) => beside.every((ids) => ids?.includes(id)))
  return {
    writes: shared ?? own.at(-1) ?? own[0],
    moves: beside.every((ids) => ids?.[0] === own[0]),
  }
}

/** The key that this process writes under: the newest, until `ingest` has looked at what others have. */
export function writingKey(): Key {
  const { keys } = env()
  return keys.find(({ id }) => id === globalThis.rampartKeyAgreement?.writes) ?? keys[0]
}

/** Answers whether what is kept under this key is to be moved to the one that writes. */
export function isToBeMoved(keyId: string): boolean {
  return keyId !== writingKey().id && (globalThis.rampartKeyAgreement?.moves ?? true)
}

/** From now on all of this process writes so. */
export function setKeyAgreement(agreement: KeyAgreement): void {
  globalThis.rampartKeyAgreement = agreement
}

/** Milliseconds for which it holds what a process says of its keys. */
const goodForMs = 10_000

/** Milliseconds for which a process that says no more is waited for, since it may only have lost its database. */
const missedForMs = 60_000

const leaseName = (processId: string, ids: readonly string[]) => `keys:${processId}:${ids.join(',')}`

/** Tells the other processes which keys this one can use, newest first; to be repeated every few seconds. */
export async function announceKeys(
  database: pg.Pool,
  processId: string,
  ids: readonly string[],
): Promise<void> {
  await acquireLeases(database, [leaseName(processId, ids)], processId, goodForMs)
}

/** Leases of processes that died are waited for, and then deleted. */
export const sweepKeys = (database: pg.Pool): Promise<void> => sweepLeases(database, 'keys:')

/** For an orderly end. */
export async function withdrawKeys(
  database: pg.Pool,
  processId: string,
  ids: readonly string[],
): Promise<void> {
  await deleteLease(database, leaseName(processId, ids))
}

/** The ids that each living process has, newest first; null for a process of an older version, which does not say. */
export async function readKeysOfOthers(
  database: pg.Pool,
  processId: string | null = null,
): Promise<(readonly string[] | null)[]> {
  const { rows } = await database.query<{ ids: string | null }>(OTHERS, [processId, goodForMs, missedForMs])
  return rows.map(({ ids }) => ids?.split(',').filter(Boolean) ?? null)
}

const OTHERS = `
  SELECT split_part(name, ':', 3) AS ids FROM lease
  WHERE name LIKE 'keys:%' AND holder IS DISTINCT FROM $1::uuid
    AND expires_at BETWEEN clock_timestamp() - $3 * interval '1 ms' AND clock_timestamp() + 2 * $2 * interval '1 ms'
  UNION ALL
  SELECT NULL FROM lease
  WHERE name LIKE 'ingest:%' AND holder IS DISTINCT FROM $1::uuid
    AND expires_at BETWEEN clock_timestamp() AND clock_timestamp() + 2 * $2 * interval '1 ms'
    AND NOT EXISTS (SELECT FROM lease AS said WHERE said.holder = lease.holder AND said.name LIKE 'keys:%')`

/**
 * The ids of those keys that are the ones which this database was first used with, under the names that they have here; a key that
 * is seen for the first time is remembered.
 * @param fingerprintOf of a key, in hex
 */
export async function readUsableKeyIds(
  database: pg.Pool,
  ids: readonly string[],
  fingerprintOf: (id: string) => string,
): Promise<ReadonlySet<string>> {
  const marks = ids.map((id) => ({ name: `digest-key:${id}`, mark: fingerprintOf(id) }))
  await database.query(
    `INSERT INTO setting (key, value)
     SELECT name, to_jsonb(mark) FROM unnest($1::text[], $2::text[]) AS given (name, mark)
     ON CONFLICT (key) DO NOTHING`,
    [marks.map(({ name }) => name), marks.map(({ mark }) => mark)],
  )
  const { rows } = await database.query<{ key: string; value: unknown }>(
    'SELECT key, value FROM setting WHERE key = ANY($1)',
    [marks.map(({ name }) => name)],
  )
  const kept = new Map(rows.map(({ key, value }) => [key, value]))
  return new Set(ids.filter((_, i) => kept.get(marks[i]?.name ?? '') === marks[i]?.mark))
}

declare global {
  var rampartKeyAgreement: KeyAgreement | undefined
}
