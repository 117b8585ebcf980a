import type { Answer } from './receivers.ts'
import type { Settings } from './settings.ts'

/**
 * What the contract (§2 to §8) and the sandbox's stated assumptions say must be, kept as small as they allow. Ids,
 * secrets and sessions are names here ("user 1"), times are milliseconds since the sequence began.
 */
export type Model = {
  settings: Settings
  now: number
  users: User[]
  sessions: Session[]
  spentNonces: Set<string>
  /** Deleted ones too, so that they can be asked for. */
  endpoints: Endpoint[]
  deliveries: Delivery[]
  /** Mails that have come back, and will be told of at this time (§6.6). */
  bounces: { user: User; at: number }[]
  /** Events sent and requests made so far, whatever became of their endpoints. */
  events: number
  requests: number
}

/** §2.1 */
export type User = { name: string; email: string; wallet: string | undefined; codes: Code[] }

export type Code = { sentAt: number; wrongGuesses: number; used: boolean }

/** §2.2 */
export type Session = { name: string; user: User; openedAt: number }

/** §2.3 */
export type Endpoint = {
  name: string
  url: string
  description: string
  subscribedEvents: string[] | undefined
  status: 'active' | 'disabled' | 'auto_disabled'
  /** How many secrets it has had; only the last is valid. */
  secrets: number
  lostInARow: number
  deleted: boolean
}

/** §6.8 */
export type Delivery = {
  endpoint: Endpoint
  event: Event
  state: 'waiting' | 'delivered' | 'lost' | 'stopped'
  dueAt: number
  attempts: { at: number; url: string; secret: string; answer: Answer }[]
}

/** §2.4, as far as it matters where it goes; its mark tells it from the others. */
export type Event = { type: string; mark: string }

/** What a call must be answered with; without a body, whatever it says is fine. */
export type Outcome = { status: number; body?: unknown; retryAfter?: number }

export const createModel = (settings: Settings): Model => ({
  settings,
  now: 0,
  users: [],
  sessions: [],
  spentNonces: new Set(),
  endpoints: [],
  deliveries: [],
  bounces: [],
  events: 0,
  requests: 0,
})

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
