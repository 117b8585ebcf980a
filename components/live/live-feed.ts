/** `delayed`: the server has no stream for this page, which looks for changes every few seconds instead. */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'delayed' | 'paused'

/** The subjects that changed, or `anything` after a break, when nobody can say. */
export type ChangedSubjects = readonly string[] | 'anything'

type OnChange = (changed: ChangedSubjects) => Promise<unknown> | undefined

/**
 * One connection to the server's live stream. Changes that arrive while listeners are busy are merged into
 * one notification, so that a busy hour causes no more reloads than the machine can handle.
 */
export class LiveFeed {
  readonly #url: string
  readonly #onSignedOut: () => void
  readonly #onChange = new Set<OnChange>()
  readonly #onState = new Set<() => void>()
  #source: EventSource | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #connected = false
  #wasOpen = false
  #delayed = false
  #paused = false
  #pending: Set<string> | 'anything' = new Set()
  #notifying = false

  /** `onSignedOut` is called when the server says that the session is over. */
  constructor(url: string, onSignedOut: () => void) {
    this.#url = url
    this.#onSignedOut = onSignedOut
  }

  get state(): LiveState {
    if (this.#paused) return 'paused'
    if (this.#connected) return 'live'
    if (this.#delayed) return 'delayed'
    return this.#wasOpen || this.#failures > 0 ? 'reconnecting' : 'connecting'
  }

  open(): void {
    const source = new EventSource(this.#url)
    this.#source = source
    source.onopen = () => {
      this.#wasOpen = true
      this.#failures = 0
      this.#delayed = false
      this.#setConnected(true)
      // Also after the first connection: changes between rendering and connecting were missed.
      this.#add('anything')
    }
    source.onmessage = (message) => {
      const changed = readSubjects(message.data)
      if (changed !== 'signed-out') return this.#add(changed)
      this.close()
      this.#notifyState()
      this.#onSignedOut()
    }
    source.onerror = () => {
      this.#failures += 1
      this.#setConnected(false)
      if (source.readyState === EventSource.CLOSED) void this.#reconnect(source)
    }
  }

  close(): void {
    clearTimeout(this.#retry)
    this.#source?.close()
    this.#source = undefined
    this.#connected = false
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

  onState(listener: () => void): () => void {
    this.#onState.add(listener)
    return () => this.#onState.delete(listener)
  }

  /**
   * The browser reconnects by itself after a broken connection, but not after an answer that is no stream.
   */
  async #reconnect(source: EventSource): Promise<void> {
    const answer = await ask(this.#url)
    if (source !== this.#source) return
    if (answer?.status === 401) return this.#onSignedOut()
    const retryAfter = Number(answer?.headers.get('retry-after') ?? 0)
    this.#delayed = retryAfter > 0
    // While no stream is available, everything is reloaded to show changes.
    if (this.#delayed) this.#add('anything')
    this.#notifyState()
    this.#openLater(retryAfter || Math.min(30, 2 ** this.#failures))
  }

  #openLater(seconds: number): void {
    this.#retry = setTimeout(() => this.open(), seconds * 1000)
  }

  #setConnected(connected: boolean): void {
    this.#connected = connected
    this.#notifyState()
  }

  #notifyState(): void {
    for (const listener of this.#onState) listener()
  }

  #add(changed: ChangedSubjects): void {
    if (changed === 'anything' || this.#pending === 'anything') this.#pending = 'anything'
    else for (const subject of changed) this.#pending.add(subject)
    this.#notify()
  }

  async #notify(): Promise<void> {
    if (this.#notifying) return
    this.#notifying = true
    while (!this.#paused && (this.#pending === 'anything' || this.#pending.size > 0)) {
      const changed = this.#pending === 'anything' ? this.#pending : [...this.#pending]
      this.#pending = new Set()
      await Promise.allSettled([...this.#onChange].map((listener) => listener(changed)))
    }
    this.#notifying = false
  }
}

/** EventSource does not expose the status of a refusal, so the url is fetched. Null without an answer. */
async function ask(url: string): Promise<Response | null> {
  const asking = new AbortController()
  const answer = await fetch(url, { signal: asking.signal }).catch(() => null)
  asking.abort()
  return answer
}

/** Reads `{ kind: 'changed', subjects }`, whose `subjects` are null when anything may have changed; or the stream's last word. */
function readSubjects(data: unknown): ChangedSubjects | 'signed-out' {
  try {
    const message: unknown = JSON.parse(String(data))
    if (typeof message !== 'object' || message === null || !('kind' in message)) return 'anything'
    if (message.kind === 'signed-out') return 'signed-out'
    if (message.kind !== 'changed' || !('subjects' in message)) return []
    return Array.isArray(message.subjects) ? message.subjects.map(String) : 'anything'
  } catch {
    return 'anything'
  }
}
