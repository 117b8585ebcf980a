import { createHash, randomBytes } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import type { QueryClient } from '../database/transaction.ts'

/**
 * The one source of ids, secrets, codes and random figures: chance, or a seed. The same seed gives the same ones from a
 * reset on, kind by kind, so that more codes do not change the next user's id.
 */
export interface Ids {
  /** 32 bytes. */
  bytes(kind: string): Buffer
  uuid(kind: string): string
  /** 32 bytes in base64url. */
  secret(kind: string): string
  /** From 0 up to, not including, `end`. */
  whole(kind: string, end: number): number
  /** Begins again with a seed. */
  restart(seeding: Seeding): void
}

/** `starts` counts the starts since the last reset: a restart must not repeat ids that the database holds. */
export interface Seeding {
  readonly seed: string | null
  readonly starts: number
}

export function createIds(first: Seeding = { seed: null, starts: 0 }): Ids {
  let seeding = first
  const drawn = new Map<string, number>()
  const bytes = (kind: string) => {
    if (seeding.seed === null) return randomBytes(32)
    const count = (drawn.get(kind) ?? 0) + 1
    drawn.set(kind, count)
    return createHash('sha256')
      .update(JSON.stringify([seeding.seed, seeding.starts, kind, count]))
      .digest()
  }
  return {
    bytes,
    uuid: (kind) => uuidOf(bytes(kind)),
    secret: (kind) => bytes(kind).toString('base64url'),
    whole: (kind, end) => bytes(kind).readUIntBE(0, 6) % end,
    restart(next) {
      seeding = next
      drawn.clear()
    },
  }
}

/** RFC 9562, version 4. */
function uuidOf(bytes: Buffer) {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** A seed as it is given; 0 stands for none. */
export const SeedSchema = z.coerce
  .number()
  .int()
  .min(0)
  .max(2 ** 32 - 1)

/** Counts a start. A seed that is given stays until a reset gives another. */
export const seedAtStart = (database: QueryClient, seed: number | undefined): Promise<Seeding> =>
  write(database, 'starts + 1', seed)

/** The seed from a reset on: `seed`, the one before when it is undefined, and chance when it is 0. */
export const seedAtReset = (database: QueryClient, seed: number | undefined): Promise<Seeding> =>
  write(database, '1', seed)

async function write(database: QueryClient, starts: string, seed: number | undefined): Promise<Seeding> {
  const { rows } = await database.query<Seeding>(
    `UPDATE seed SET starts = ${starts}, seed = CASE WHEN $1::text IS NULL THEN seed ELSE NULLIF($1, '0') END
     RETURNING seed, starts`,
    [seed === undefined ? null : String(seed)],
  )
  const [row] = rows
  if (!row) throw new Error('The seed has no row')
  return row
}
