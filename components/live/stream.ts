import { later } from './position.ts'
import { readMessage, readStatusMessage, type StreamMessage } from './stream-message.ts'

/** `delayed`: the server has no stream for this browser, which looks for changes every few seconds instead. */
export type StreamState = 'connecting' | 'live' | 'reconnecting' | 'delayed'

/** What a stream calls. */
export interface StreamReader {
  onMessage(message: StreamMessage): void
  onState(state: StreamState): void
}

/** Milliseconds after which a broken connection is opened again. */
const reopenAfter = 2_000

/** The server says every 15 s that the stream lives. One that says nothing for this many milliseconds is dead. */
const silentFor = 40_000
/** The same for a browser that may have slept. */
const silentAfterSleep = 20_000
const lookEvery = 5_000

/** One connection to the server. It comes back after whatever breaks it, and goes on where it was. */
export class Stream {
  readonly #url: string
  readonly #reader: StreamReader
  #position: string | null
  #source: EventSource | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #watch: ReturnType<typeof setInterval> | undefined
  #failures = 0
  /** Counts each end of a connection, so that what belongs to an earlier one is ignored. */
  #attempt = 0
  #closed = false
  #lastMessageAt = 0
  #state: StreamState = 'connecting'

  /** `position`: what came after it is sent first; null when anything may have changed before. */
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
    this.#watch = setInterval(() => this.#checkSilence(silentFor), lookEvery)
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#watch)
    this.#disconnect()
  }

  /** The browser may have slept, or has a network again: nobody waits for a timer then. */
  wake(): void {
    if (this.#closed) return
    if (this.#source) this.#checkSilence(silentAfterSleep)
    else if (this.#state === 'reconnecting') this.#connect()
  }

  #connect(): void {
    this.#disconnect()
    const from = this.#position
    const source = new EventSource(
      from === null ? this.#url : `${this.#url}?from=${encodeURIComponent(from)}`,
    )
    this.#source = source
    this.#lastMessageAt = Date.now()
    source.onopen = () => {
      this.#lastMessageAt = Date.now()
      this.#failures = 0
      this.#setState('live')
      if (from === null) this.#deliver({ kind: 'changed', subjects: 'anything', position: null })
    }
    source.onmessage = ({ data, lastEventId }) => this.#deliver(readMessage(data, lastEventId))
    source.addEventListener('status', ({ data }) => this.#deliver(readStatusMessage(data)))
    source.addEventListener('beat', ({ data }) => this.#deliver({ kind: 'beat', position: data || null }))
    source.onerror = () => {
      const isRefused = source.readyState === EventSource.CLOSED
      this.#failures += 1
      this.#disconnect()
      if (isRefused) void this.#askWhy()
      else this.#reopenIn(reopenAfter, 'reconnecting')
    }
  }

  #disconnect(): void {
    this.#attempt += 1
    clearTimeout(this.#retry)
    this.#source?.close()
    this.#source = undefined
  }

  #deliver(message: StreamMessage | null): void {
    this.#lastMessageAt = Date.now()
    if (message === null) return
    if (message.kind === 'changed' || message.kind === 'beat')
      this.#position = later(this.#position, message.position)
    if (message.kind === 'signed-out') this.close()
    this.#reader.onMessage(message)
  }

  #checkSilence(longest: number): void {
    if (!this.#source || Date.now() - this.#lastMessageAt < longest) return
    this.#setState('reconnecting')
    this.#connect()
  }

  /** An answer that is no stream: only a fetch shows its status. */
  async #askWhy(): Promise<void> {
    this.#setState('reconnecting')
    const attempt = this.#attempt
    const answer = await ask(this.#url)
    if (this.#attempt !== attempt) return
    if (answer?.status === 401) return this.#deliver({ kind: 'signed-out' })
    const seconds = Number(answer?.headers.get('retry-after') ?? 0)
    // While no stream is available, everything is loaded again to show changes.
    if (seconds > 0) this.#deliver({ kind: 'changed', subjects: 'anything', position: null })
    if (seconds > 0) this.#reopenIn(seconds * 1000, 'delayed')
    else this.#reopenIn(Math.min(30, 2 ** this.#failures) * 1000, 'reconnecting')
  }

  #reopenIn(ms: number, state: StreamState): void {
    this.#setState(state)
    this.#retry = setTimeout(() => this.#connect(), ms)
  }

  #setState(state: StreamState): void {
    if (this.#state === state) return
    this.#state = state
    this.#reader.onState(state)
  }
}

/** EventSource does not expose the status of a refusal, so the url is fetched. Null without an answer. */
async function ask(url: string): Promise<Response | null> {
  const asking = new AbortController()
  const answer = await fetch(url, { signal: asking.signal }).catch(() => null)
  asking.abort()
  return answer
}
