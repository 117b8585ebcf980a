import 'server-only'
import type { Rejection } from './outcome.ts'

/** A delivery's request, whatever server took it. */
export interface IngestRequest {
  readonly method: string
  /** The last part of the path, as it came. */
  readonly receiverId: string
  /** A header's values joined by `, ` where it came more than once; null without it. `name` in lower case. */
  header(name: string): string | null
  /** The address that it came from, past our own proxies; null when nobody says. */
  caller(find: FindAddress): string | null
  /** Reads the body up to `limit` bytes, calling `reserve` for their memory before it keeps any of them. */
  readBody(limit: number, reserve: (bytes: number) => boolean): Promise<BodyOutcome>
}

/** From the address of the connection and `X-Forwarded-For`. */
export type FindAddress = (connection: string | undefined, forwardedFor: string | null) => string | null

export type BodyOutcome = { readonly kind: 'read'; readonly body: Uint8Array } | Rejection

/** The most that a body may have: 1 MiB. */
export const bodyLimit = 1024 * 1024

/** ASSUMED: a sender that needs longer for its body is answered 408. Milliseconds. */
export const bodyTimeLimit = 10_000
