import type { ScriptedAnswer } from './receivers.ts'
import type { Settings } from './settings.ts'

/**
 * What the contract (§2 to §8) and the sandbox's stated assumptions say must be, kept as small as they allow. Ids,
 * secrets and sessions are names here ("user 1"), times are milliseconds since the sequence began.
 */
export interface Model {
  readonly settings: Settings
  // biome-ignore lint/plugin: changes with the steps of a run
  now: number
  readonly users: ModelUser[]
  readonly sessions: ModelSession[]
  readonly usedNonces: Set<string>
  /** Deleted ones too, so that they can be asked for. */
  readonly endpoints: ModelEndpoint[]
  // biome-ignore-start lint/plugin: changes with the steps of a run
  deliveries: ModelDelivery[]
  /** Mails that have come back, and will be reported at this time (§6.6). */
  bounces: { readonly user: ModelUser; readonly at: number }[]
  /** Events sent and requests made so far, whatever became of their endpoints. */
  events: number
  requests: number
  // biome-ignore-end lint/plugin: as above
}

/** §2.1 */
export interface ModelUser {
  readonly name: string
  readonly email: string
  readonly wallet: string | undefined
  readonly codes: ModelCode[]
}

export interface ModelCode {
  readonly sentAt: number
  // biome-ignore-start lint/plugin: changes with the steps of a run
  wrongGuesses: number
  used: boolean
  // biome-ignore-end lint/plugin: as above
}

/** §2.2 */
export interface ModelSession {
  readonly name: string
  readonly user: ModelUser
  readonly openedAt: number
}

/** §2.3 */
export interface ModelEndpoint {
  readonly name: string
  // biome-ignore lint/plugin: changes with the steps of a run
  url: string
  readonly description: string
  // biome-ignore-start lint/plugin: changes with the steps of a run
  subscribedEvents: string[] | undefined
  status: 'active' | 'disabled' | 'auto_disabled'
  /** How many secrets it has had; only the last is valid. */
  secrets: number
  lostInARow: number
  deleted: boolean
  // biome-ignore-end lint/plugin: as above
}

/** §6.8 */
export interface ModelDelivery {
  readonly endpoint: ModelEndpoint
  readonly event: ModelEvent
  // biome-ignore-start lint/plugin: changes with the steps of a run
  state: 'waiting' | 'delivered' | 'lost' | 'stopped'
  dueAt: number
  // biome-ignore-end lint/plugin: as above
  readonly attempts: {
    readonly at: number
    readonly url: string
    readonly secret: string
    readonly answer: ScriptedAnswer
  }[]
}

/** §2.4, as far as it decides where it goes; its mark distinguishes it from the others. */
export interface ModelEvent {
  readonly type: string
  readonly mark: string
}

/** What a call must be answered with; without a body, whatever it says is fine. */
export interface ExpectedOutcome {
  readonly status: number
  readonly body?: unknown
  readonly retryAfter?: number
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

export const oneSecond = 1_000
export const oneMinute = 60 * oneSecond
