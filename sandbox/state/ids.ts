import { createHash, randomBytes } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import type { QueryClient } from '../database/pool.ts'

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
interface Seeding {
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

/** Repeatable chance: the same seed gives the same figures, ids and hashes. */
export interface SeededRandom {
  /** From 0 up to, not including, 1. */
  fraction(): number
  /** A whole number, both ends included. */
  whole(from: number, to: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  chance(probability: number): boolean
  digits(length: number): string
  hex(length: number): string
  uuid(): string
}

export function createRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1))
  const draw = (length: number, base: number) =>
    Array.from({ length }, () => whole(0, base - 1).toString(base)).join('')
  return {
    fraction,
    whole,
    pick: (items) => items[whole(0, items.length - 1)] ?? items[0],
    chance: (probability) => fraction() < probability,
    digits: (length) => draw(length, 10),
    hex: (length) => draw(length, 16),
    uuid: () =>
      `${draw(8, 16)}-${draw(4, 16)}-4${draw(3, 16)}-${(8 + whole(0, 3)).toString(16)}${draw(3, 16)}-${draw(12, 16)}`,
  }
}
