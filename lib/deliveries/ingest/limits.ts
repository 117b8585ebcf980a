import 'server-only'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { type BodyOutcome, bodyLimit } from './request-and-answer.ts'

/** The memory budget limits the memory of all bodies while they are read and wait to be stored. */
export interface MemoryBudget {
  /** `reserve` opens a reservation for one body, with 0 bytes. */
  reserve(): MemoryReservation
}

interface MemoryReservation {
  /** `grow` reserves more bytes. It returns false, and reserves nothing, when the budget is used up. */
  grow(bytes: number): boolean
  /** `release` gives back the whole reservation. */
  release(): void
}

/** The limit counts bytes. */
const maxBytes = 128 * 1024 * 1024

export function openMemoryBudget(limit = maxBytes): MemoryBudget {
  let reserved = 0
  return {
    reserve() {
      let own = 0
      return {
        grow(bytes) {
          if (reserved + bytes > limit) return false
          reserved += bytes
          own += bytes
          return true
        },
        release() {
          reserved -= own
          own = 0
        },
      }
    },
  }
}

class TimeoutError extends Error {}

/** `withTimeout` resolves with `answer`, or throws after `limit` milliseconds. The work itself is not cancelled. */
export function withTimeout<T>(limit: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(`No answer within ${limit} ms`)), limit)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** `inflate` undoes these compressions: proxies and senders' libraries compress large bodies. Decision 0123. */
export type Coding = 'gzip' | 'x-gzip' | 'deflate' | 'br' | 'zstd'

/**
 * `codingOf` reads how a `Content-Encoding` compresses a body. It returns null for no compression, and `unknown` for another
 * coding or several.
 */
export function codingOf(header: string | null): Coding | null | 'unknown' {
  if (header === null) return null
  const [first, ...others] = header
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (first === undefined) return null
  return isCoding(first) && others.length === 0 ? first : 'unknown'
}

/** `inflate` decompresses a body outside the main thread. It never takes more memory than the largest body. */
export async function inflate(
  body: Uint8Array,
  coding: Coding,
  reservation: MemoryReservation,
): Promise<BodyOutcome> {
  if (!reservation.grow(bodyLimit)) return { kind: 'no-memory' }
  try {
    const inflated = await ways[coding](body, { maxOutputLength: bodyLimit })
    // The rest of the reservation is released while the body waits to be stored.
    reservation.release()
    reservation.grow(inflated.length)
    return { kind: 'read', body: inflated }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { kind: 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'encoded' }
  }
}

type Inflate = (body: Uint8Array, limit: { readonly maxOutputLength: number }) => Promise<Uint8Array>

const gunzip: Inflate = promisify<Uint8Array, object, Uint8Array>(zlib.gunzip)
const inflateFramed: Inflate = promisify<Uint8Array, object, Uint8Array>(zlib.inflate)
const inflateBare: Inflate = promisify<Uint8Array, object, Uint8Array>(zlib.inflateRaw)

const ways: Readonly<Record<Coding, Inflate>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  // Some senders send deflate data without its frame (RFC 9110 §8.4.1.2). The low four bits of a frame's first byte are 8.
  deflate: (body, limit) => (((body[0] ?? 0) & 15) === 8 ? inflateFramed : inflateBare)(body, limit),
  br: promisify<Uint8Array, object, Uint8Array>(zlib.brotliDecompress),
  zstd: promisify<Uint8Array, object, Uint8Array>(zlib.zstdDecompress),
}

const isCoding = (text: string): text is Coding => Object.hasOwn(ways, text)
