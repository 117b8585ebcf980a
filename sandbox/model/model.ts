import type { ScriptedAnswer } from './receivers.ts'
import type { Settings } from './settings.ts'

/**
 * What the contract (§2 to §8) and the sandbox's stated assumptions say must be, kept as small as they allow. Ids,
 * secrets and sessions are names here ("user 1"), times are milliseconds since the sequence began.
 */
export interface Model {
  settings: Settings
  now: number
  users: ModelUser[]
  sessions: ModelSession[]
  usedNonces: Set<string>
  /** Deleted ones too, so that they can be asked for. */
  endpoints: ModelEndpoint[]
  deliveries: ModelDelivery[]
  /** Mails that have come back, and will be reported at this time (§6.6). */
  bounces: { user: ModelUser; at: number }[]
  /** Events sent and requests made so far, whatever became of their endpoints. */
  events: number
  requests: number
}

/** §2.1 */
export interface ModelUser {
  name: string
  email: string
  wallet: string | undefined
  codes: ModelCode[]
}

export interface ModelCode {
  sentAt: number
  wrongGuesses: number
  used: boolean
}

/** §2.2 */
export interface ModelSession {
  name: string
  user: ModelUser
  openedAt: number
}

/** §2.3 */
export interface ModelEndpoint {
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
export interface ModelDelivery {
  endpoint: ModelEndpoint
  event: ModelEvent
  state: 'waiting' | 'delivered' | 'lost' | 'stopped'
  dueAt: number
  attempts: { at: number; url: string; secret: string; answer: ScriptedAnswer }[]
}

/** §2.4, as far as it decides where it goes; its mark distinguishes it from the others. */
export interface ModelEvent {
  type: string
  mark: string
}

/** What a call must be answered with; without a body, whatever it says is fine. */
export interface ExpectedOutcome {
  status: number
  body?: unknown
  retryAfter?: number
}

export const createModel = (settings: Settings): Model => ({
  settings,
  now: 0,
  users: [],
  sessions: [],
  usedNonces: new Set(),
  endpoints: [],
  deliveries: [],
  bounces: [],
  events: 0,
  requests: 0,
})

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
