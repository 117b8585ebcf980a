import { isSomethingOf } from '#lib/deliveries/rules/something-of.ts'
import type { Connection, LiveStatus } from '#lib/operations/rules/health.ts'
import { isLocked } from '../browser/session.ts'
import { SharedStream } from './shared-stream.ts'
import type { StreamState } from './stream.ts'
import type { ChangedSubjects, StreamMessage } from './stream-message.ts'

export type LiveState = Connection

type OnChange = (changed: ChangedSubjects) => Promise<unknown> | undefined

/** Where a page's changes come from, and what it was made with. */
export interface FeedStart {
  readonly url: string
  /** Tabs of the same name share one stream. */
  readonly name: string
  /** How far the page is as it was made; null when nobody knows. */
  readonly position: string | null
  /** How deliveries and the service stood then; null where it is not said. */
  readonly status: LiveStatus | null
}

/**
 * What this tab makes of the stream. Changes that arrive while listeners are busy are merged into one notification, so that a
 * busy hour causes no more reloads than the machine can handle; while the page is locked they wait until it is opened anew.
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

  /** How many subjects wait for a pause to end; null when nobody can say. */
  get waiting(): number | null {
    return this.#pending === 'anything'
      ? null
      : [...this.#pending].filter((name) => !isSomethingOf(name)).length
  }

  get status(): LiveStatus | null {
    return this.#status
  }

  /** Also after a lock, which held back what came meanwhile. */
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

  /** Called when the state, what waits or the status is another. */
  onState(listener: () => void): () => void {
    this.#onState.add(listener)
    return () => this.#onState.delete(listener)
  }

  /** A page that is made again brings the status as well, which may be older than the stream's. */
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
    for (const listener of this.#onState) listener()
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
      await Promise.allSettled([...this.#onChange].map((listener) => listener(changed)))
    }
    this.#notifying = false
  }
}
