import { createHash, randomBytes } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import type { QueryClient } from '../database/pool.ts'

/**
 * A uuid that somebody else made has any version, or none: the contract says `string (uuid)` (§2.1). Capitals are read as
 * small letters, because both write the same uuid.
 */
export const UuidSchema = z.guid('Invalid UUID').toLowerCase()

/**
 * `Ids` is the one source of ids, secrets, codes and random figures, from chance or from a seed. From a reset on, the same
 * seed gives the same values kind by kind, so more codes do not change the next user's id.
 */
export interface Ids {
  /** The value has 32 bytes. */
  bytes(kind: string): Buffer
  uuid(kind: string): string
  /** The value has 32 bytes, written in base64url. */
  secret(kind: string): string
  /** The number is at least 0 and less than `end`. */
  whole(kind: string, end: number): number
  /** The ids start again with a seed. */
  restart(seeding: Seeding): void
}

/** `starts` counts the starts since the last reset, because a restart must not repeat ids that the database holds. */
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

/** The format is RFC 9562, version 4. */
function uuidOf(bytes: Buffer) {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export const greatestSeed = 2 ** 32 - 1

/** The seed 0 means none. */
export const SeedSchema = z.number().int().min(0).max(greatestSeed)

/** The function counts a start. A given seed stays until a reset gives another. */
export const seedAtStart = (database: QueryClient, seed: number | undefined): Promise<Seeding> =>
  write(database, 'starts + 1', seed)

/** A reset uses `seed`, keeps the previous seed when it is undefined, and uses chance when it is 0. */
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

/** The same seed gives the same figures, ids and hashes. */
export interface SeededRandom {
  /** The number is at least 0 and less than 1. */
  fraction(): number
  /** The whole number may equal either end. */
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
