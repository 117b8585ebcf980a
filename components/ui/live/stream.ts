import { later, readMessage, readStatusMessage, type StreamMessage } from './stream-message.ts'

/**
 * `delayed`: the server has no stream for this browser, or none comes through, so the page looks for changes every
 * few seconds.
 */
export type StreamState = 'connecting' | 'live' | 'reconnecting' | 'delayed'

/** A stream calls these functions. */
export interface StreamReader {
  onMessage(message: StreamMessage): void
  onState(state: StreamState): void
}

/**
 * A connection that breaks is opened again after at most this many milliseconds, at random, since a server that stops breaks
 * many at once. Where the next one brings nothing either, the pause is longer.
 */
const reopenWithin = { soon: [100, 500], later: [2_000, 2_000] } as const

/** The server sends a beat every 5 s. A connection without a message for this many milliseconds is dead. */
const silentFor = 20_000
const checkEveryMs = 5_000

/** The page looks for changes by itself after this many streams in a row that brought nothing. */
const maxSilent = 2

/** A replaced stream waits this many milliseconds for a free place. */
const displacedFor = 15_000

/**
 * A second question is given up after this many milliseconds: a proxy may hold back its answer, or the answer may
 * be a stream.
 */
const answerWithin = 5_000

/** The stream is one connection to the server. It is opened again after any break, and goes on from its position. */
export class Stream {
  readonly #url: string
  readonly #reader: StreamReader
  #position: string | null
  #source: EventSource | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #watch: ReturnType<typeof setInterval> | undefined
  /** This many streams in a row brought nothing, this one included. */
  #silent = 0
  /** Another stream replaced this one. It replaces no other until somebody looks at the page. */
  #onlyIfFree = false
  /** Each end of a connection is counted, so that messages of an earlier one are ignored. */
  #attempt = 0
  #closed = false
  #lastMessageAt = 0
  #state: StreamState = 'connecting'

  /** Changes after `position` are sent first; null when anything may have changed before. */
  constructor(url: string, position: string | null, reader: StreamReader) {
    this.#url = url
    this.#position = position
    this.#reader = reader
  }

  get state(): StreamState {
    return this.#state
  }

  open(): void {
    this.#connect()
    this.#watch = setInterval(() => {
      this.#checkSilence()
      if (this.#silent > maxSilent) void this.#look()
    }, checkEveryMs)
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#watch)
    this.#disconnect()
  }

  /** The browser may have slept, or has a network again, so no timer is waited for. */
  wake(): void {
    if (this.#closed) return
    this.#onlyIfFree = false
    if (this.#source) this.#checkSilence()
    else this.#connect()
  }

  #connect(): void {
    this.#disconnect()
    const from = this.#position
    const source = new EventSource(
      `${this.#url}?${this.#onlyIfFree ? 'if-free&' : ''}${from === null ? '' : `from=${encodeURIComponent(from)}`}`,
    )
    this.#source = source
    this.#silent += 1
    this.#lastMessageAt = Date.now()
    source.onopen = () => {
      this.#lastMessageAt = Date.now()
      // A proxy may pass on the head of an answer and hold back the rest.
      if (this.#silent < 2) this.#setState('live')
      if (from === null) this.#deliver({ kind: 'changed', subjects: 'anything', position: null })
    }
    source.onmessage = ({ data, lastEventId }) => this.#hear(readMessage(data, lastEventId))
    source.addEventListener('status', ({ data }) => this.#hear(readStatusMessage(data)))
    source.addEventListener('beat', ({ data }) => this.#hear({ kind: 'beat', position: data || null }))
    source.onerror = () => {
      const isRefused = source.readyState === EventSource.CLOSED
      this.#disconnect()
      const [least, most] = reopenWithin[this.#silent === 0 ? 'soon' : 'later']
      if (isRefused) void this.#askWhy()
      else {
        const [chance = 0] = crypto.getRandomValues(new Uint8Array(1))
        this.#reopenIn(least + (chance / 255) * (most - least))
      }
    }
  }

  #disconnect(): void {
    this.#attempt += 1
    clearTimeout(this.#retry)
    this.#source?.close()
    this.#source = undefined
  }

  #hear(message: StreamMessage | null): void {
    this.#lastMessageAt = Date.now()
    if (this.#silent > 1) this.#setState('live')
    this.#silent = 0
    if (message?.kind === 'displaced') {
      this.#onlyIfFree = true
      this.#disconnect()
      this.#reopenIn(displacedFor, 'delayed')
    } else if (message) this.#deliver(message)
  }

  #deliver(message: StreamMessage): void {
    if (message.kind === 'changed' || message.kind === 'beat')
      this.#position = later(this.#position, message.position)
    if (message.kind === 'signed-out') this.close()
    this.#reader.onMessage(message)
  }

  #checkSilence(): void {
    if (!this.#source || Date.now() - this.#lastMessageAt < silentFor) return
    this.#setState(this.#broken())
    this.#connect()
  }

  /** The server answers but no stream comes through, so the page loads its changes itself. */
  async #look(): Promise<void> {
    const isAnswered = await fetch('/api/session').then(({ ok }) => ok, nobody)
    if (this.#closed || this.#silent <= maxSilent) return
    this.#setState(isAnswered ? 'delayed' : 'reconnecting')
    if (isAnswered) this.#deliver({ kind: 'changed', subjects: 'anything', position: null })
  }

  /** A page that looks for changes itself keeps its state. */
  #broken(): StreamState {
    return this.#silent > maxSilent ? this.#state : 'reconnecting'
  }

  /** The answer is no stream. Only a fetch shows its status, which an event source does not. */
  async #askWhy(): Promise<void> {
    this.#setState(this.#broken())
    const attempt = this.#attempt
    const signal = AbortSignal.timeout(answerWithin)
    const answer = await fetch(`${this.#url}?if-free`, { signal }).catch(nobody)
    if (this.#attempt !== attempt) return
    if (answer?.status === 401) return this.#deliver({ kind: 'signed-out' })
    const seconds = Number(answer?.headers.get('retry-after'))
    // No stream is available, so everything is loaded again to show changes.
    if (seconds > 0) {
      this.#silent = 0
      this.#deliver({ kind: 'changed', subjects: 'anything', position: null })
      this.#reopenIn(seconds * 1000, 'delayed')
    } else this.#reopenIn(Math.min(30, 2 ** this.#silent) * 1000)
  }

  #reopenIn(ms: number, state = this.#broken()): void {
    this.#setState(state)
    this.#retry = setTimeout(() => this.#connect(), ms)
  }

  #setState(state: StreamState): void {
    if (this.#state === state) return
    this.#state = state
    this.#reader.onState(state)
  }
}

const nobody = () => null
