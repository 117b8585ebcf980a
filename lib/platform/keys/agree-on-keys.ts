import 'server-only'
import type pg from 'pg'
import { acquireLeases, deleteLease, sweepLeases } from '../db/lease.ts'
import { env, type Key } from '../env.ts'
import { Refused } from '../refusals.ts'

/** The agreement says how a process uses its keys while other processes run. */
export interface KeyAgreement {
  /** The process writes under the key with this id; null after a check that found none of its keys to be the database's. */
  readonly writes: string | null
  /** The value is true when the process moves data from other keys to that key. */
  readonly moves: boolean
}

/**
 * A process writes under its newest key that every other process can read, and moves data only when all have the same newest
 * key. So every process can read everything, and no two move data to and fro. Beside a process that does not report its
 * keys, the oldest key writes, which that one probably has.
 * @param own ids, newest first
 * @param others the ids of each other process; null when unreported. A process without a usable key is ignored.
 */
export function agreeOnKeys(
  own: readonly [string, ...string[]],
  others: readonly (readonly string[] | null)[],
): KeyAgreement & { readonly writes: string } {
  const beside = others.filter((ids) => ids === null || ids.length > 0)
  const shared = own.find((id) => beside.every((ids) => ids?.includes(id)))
  return {
    writes: shared ?? own.at(-1) ?? own[0],
    moves: beside.every((ids) => ids?.[0] === own[0]),
  }
}

/**
 * This process writes under this key: the newest one, until `ingest` has read the keys of the others. It may be a wrong key:
 * only what may be lost, such as a service session, is written under it without `requireWritingKey`.
 */
export function writingKey(): Key {
  const { keys } = env()
  return keys.find(({ id }) => id === globalThis.rampartKeyAgreement?.writes) ?? keys[0]
}

/**
 * `requireWritingKey` returns the key that writes. It throws `Refused` when every key is wrong: nobody could read what is
 * written under a wrong key once the right one is back under its id.
 */
export function requireWritingKey(): Key {
  if (globalThis.rampartKeyAgreement?.writes === null)
    throw new Refused('keys-wrong', {
      keys: env()
        .keys.map(({ id }) => id)
        .join(', '),
    })
  return writingKey()
}

/** `isToBeMoved` is true when data under this key should be moved to the key that writes. */
export function isToBeMoved(keyId: string): boolean {
  return keyId !== writingKey().id && (globalThis.rampartKeyAgreement?.moves ?? true)
}

/** The agreement applies to the whole process from now on. */
export function setKeyAgreement(agreement: KeyAgreement): void {
  globalThis.rampartKeyAgreement = agreement
}

/**
 * The SQL condition says that the process with the id `process` lives, or has only just fallen silent. A receiver has a lease of
 * its own, and every server one for its keys.
 */
export const processLives = `EXISTS (
  SELECT FROM lease WHERE (name = 'ingest:' || process OR starts_with(name, 'keys:' || process || ':'))
    AND expires_at > clock_timestamp() - interval '20 s')`

/** A process's report of its keys is valid for this many milliseconds. */
const goodForMs = 10_000

/** A process that stops reporting is waited for this many milliseconds, since it may only have lost its database. */
const missedForMs = 60_000

const leaseName = (processId: string, ids: readonly string[]) => `keys:${processId}:${ids.join(',')}`

/**
 * `announceKeys` reports the keys that this process can use, newest first, to the others. It is repeated every few seconds.
 */
export async function announceKeys(
  database: pg.Pool,
  processId: string,
  ids: readonly string[],
): Promise<void> {
  await acquireLeases(database, [leaseName(processId, ids)], processId, goodForMs)
}

/** The leases of dead processes are waited for, and then deleted. */
export const sweepKeys = (database: pg.Pool): Promise<void> => sweepLeases(database, 'keys:')

/** `withdrawKeys` is part of an orderly stop. */
export async function withdrawKeys(
  database: pg.Pool,
  processId: string,
  ids: readonly string[],
): Promise<void> {
  await deleteLease(database, leaseName(processId, ids))
}

/** Each living process has these ids, newest first; null for a process of an older version, which does not report them. */
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

/** These are keys of a process. */
interface MarkedKeys {
  readonly keyIds: readonly string[]
  /** The fingerprint distinguishes two keys of the same id. */
  keyFingerprint(keyId: string): Buffer | null
}

const markOf = (keys: MarkedKeys, id: string) => keys.keyFingerprint(id)?.toString('hex') ?? ''

const markName = (id: string) => `digest-key:${id}`

/** `rememberKeys` keeps the fingerprint of each key that this database sees for the first time under its id. */
export async function rememberKeys(database: pg.Pool, keys: MarkedKeys): Promise<void> {
  await database.query(
    `INSERT INTO setting (key, value)
     SELECT name, to_jsonb(mark) FROM unnest($1::text[], $2::text[]) AS given (name, mark)
     ON CONFLICT (key) DO NOTHING`,
    [keys.keyIds.map(markName), keys.keyIds.map((id) => markOf(keys, id))],
  )
}

/** `readWrongKeyIds` returns the ids of keys that differ from those that this database was first used with under the same ids. */
export async function readWrongKeyIds(database: pg.Pool, keys: MarkedKeys): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ key: string; value: unknown }>(
    'SELECT key, value FROM setting WHERE key = ANY($1)',
    [keys.keyIds.map(markName)],
  )
  const kept = new Map(rows.map(({ key, value }) => [key, value]))
  return new Set(
    keys.keyIds.filter((id) => kept.has(markName(id)) && kept.get(markName(id)) !== markOf(keys, id)),
  )
}

declare global {
  var rampartKeyAgreement: KeyAgreement | undefined
}
