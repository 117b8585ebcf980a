import { isSomethingOf } from '#lib/deliveries/rules/subject.ts'
import type { Connection, LiveStatus } from '#lib/operations/rules/health.ts'
import { isLocked } from '../browser/session.ts'
import { SharedStream } from './shared-stream.ts'
import type { StreamState } from './stream.ts'
import type { ChangedSubjects, StreamMessage } from './stream-message.ts'

export type LiveState = Connection

type OnChange = (changed: ChangedSubjects) => Promise<unknown> | undefined

/** A page gets its changes from this stream, and was made with this status. */
export interface FeedStart {
  readonly url: string
  /** Tabs with the same name share one stream. */
  readonly name: string
  /** The page was made at this position; null when that is unknown. */
  readonly position: string | null
  /** `status` was the state of deliveries and service then; null when it is not given. */
  readonly status: LiveStatus | null
}

/**
 * This tab reads the stream. Changes that arrive while listeners are busy become one notification, so that a busy
 * hour causes no more reloads than the machine can handle. A locked page holds them until it is unlocked.
 */
export class LiveFeed {
  readonly #stream: SharedStream
  readonly #onSignedOut: () => void
  readonly #onChange = new Set<OnChange>()
  readonly #onState = new Set<() => void>()
  #connection: StreamState = 'connecting'
  #status: LiveStatus | null
  #paused = false
  #pending: Set<string> | 'anything' = new Set()
  #notifying = false

  /** `onSignedOut` is called when the server says that the session is over. */
  constructor({ url, name, position, status }: FeedStart, onSignedOut: () => void) {
    this.#status = status
    this.#onSignedOut = onSignedOut
    this.#stream = new SharedStream(url, name, position, {
      onMessage: (message) => this.#apply(message),
      onState: (state) => {
        this.#connection = state
        this.#notifyState()
      },
    })
  }

  get state(): LiveState {
    return this.#paused ? 'paused' : this.#connection
  }

  /** This many subjects wait for a pause to end; null when that is unknown. */
  get waiting(): number | null {
    return this.#pending === 'anything'
      ? null
      : [...this.#pending].filter((name) => !isSomethingOf(name)).length
  }

  get status(): LiveStatus | null {
    return this.#status
  }

  /** `open` also ends a lock, which held changes back. */
  open(): void {
    this.#stream.open()
    this.#notify()
  }

  close(): void {
    this.#stream.close()
    this.#connection = 'reconnecting'
    this.#notifyState()
  }

  /** The browser may have slept, or has a network again. */
  wake(): void {
    this.#stream.wake()
  }

  pause(): void {
    this.#paused = true
    this.#notifyState()
  }

  resume(): void {
    this.#paused = false
    this.#notifyState()
    this.#notify()
  }

  onChange(listener: OnChange): () => void {
    this.#onChange.add(listener)
    return () => this.#onChange.delete(listener)
  }

  /** `listener` is called when the state, the number that waits or the status changes. */
  onState(listener: () => void): () => void {
    this.#onState.add(listener)
    return () => this.#onState.delete(listener)
  }

  /** A page that is rendered again brings its status, which may be older than the stream's. */
  takeStatus(status: LiveStatus): void {
    if (this.#status && this.#status.at >= status.at) return
    this.#status = status
    this.#notifyState()
  }

  #apply(message: StreamMessage): void {
    if (message.kind === 'changed') this.#add(message.subjects)
    if (message.kind === 'status') this.takeStatus(message.status)
    if (message.kind !== 'signed-out') return
    this.#connection = 'reconnecting'
    this.#notifyState()
    this.#onSignedOut()
  }

  #notifyState(): void {
    for (const listener of this.#onState) attempt(listener)
  }

  #add(changed: ChangedSubjects): void {
    if (changed === 'anything' || this.#pending === 'anything') this.#pending = 'anything'
    else for (const subject of changed) this.#pending.add(subject)
    if (this.#paused) this.#notifyState()
    this.#notify()
  }

  async #notify(): Promise<void> {
    if (this.#notifying) return
    this.#notifying = true
    while (!this.#paused && !isLocked() && (this.#pending === 'anything' || this.#pending.size > 0)) {
      const changed = this.#pending === 'anything' ? this.#pending : [...this.#pending]
      this.#pending = new Set()
      await Promise.allSettled([...this.#onChange].map((listener) => attempt(() => listener(changed))))
    }
    this.#notifying = false
  }
}

/** A listener that throws is reported like every error of a script. It stops neither the other listeners nor the feed. */
function attempt<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch (error) {
    reportError(error)
    return undefined
  }
}
