import type { LiveStatus } from '#lib/operations/rules/health.ts'
import { Stream, type StreamReader, type StreamState } from './stream.ts'
import { type ChangedSubjects, later, parseStreamPosition, type StreamMessage } from './stream-message.ts'

/** This many changes are kept for tabs that open or wake up. */
const maxKept = 500

/** The log keeps what a stream has brought, so that a tab gets the changes since its page was made. */
export class ChangeLog {
  /** The log knows everything after this position. */
  #from: string | null
  #position: string | null
  #kept: { readonly position: string; readonly subjects: ChangedSubjects }[] = []

  /** The stream begins at `position`; null when that is unknown. */
  constructor(position: string | null) {
    this.#from = position
    this.#position = position
  }

  get position(): string | null {
    return this.#position
  }

  add(position: string | null, subjects: ChangedSubjects): void {
    // The position after this change is unknown. The next position sets it again.
    if (position === null && subjects === 'anything') this.#from = null
    if (position === null) return
    const before = parseStreamPosition(this.#position)
    this.#position = later(this.#position, position)
    if (this.#position === null) return
    if (this.#from === null || before?.boot !== parseStreamPosition(this.#position)?.boot) {
      this.#from = this.#position
      this.#kept = []
    }
    if (subjects.length > 0) this.#kept.push({ position: this.#position, subjects })
    while (this.#kept.length > maxKept) this.#from = this.#kept.shift()?.position ?? this.#from
  }

  /** The changes after this position are returned. */
  since(position: string | null): ChangedSubjects {
    const [asked, from] = [parseStreamPosition(position), parseStreamPosition(this.#from)]
    if (!asked || asked.boot !== from?.boot || asked.count < from.count) return 'anything'
    const missed = this.#kept.filter((each) => (parseStreamPosition(each.position)?.count ?? 0) > asked.count)
    const subjects = new Set<string>()
    for (const each of missed) {
      if (each.subjects === 'anything') return 'anything'
      for (const subject of each.subjects) subjects.add(subject)
    }
    return [...subjects]
  }
}

/** Tabs of one browser send these messages to each other. */
type TabMessage =
  /** A tab that does not lead asks what it missed, and whether another tab leads. */
  | { readonly kind: 'hello'; readonly tab: string; readonly position: string | null }
  | {
      readonly kind: 'here'
      readonly tab: string
      readonly state: StreamState
      readonly status: LiveStatus | null
      readonly missed: ChangedSubjects
      readonly position: string | null
    }
  | { readonly kind: 'state'; readonly state: StreamState }
  | { readonly kind: 'message'; readonly message: StreamMessage }

/** A leading tab answers within this many milliseconds. A frozen one does not. */
const answerWithin = 2_000

/**
 * The stream sends a beat every 5 s, and its tab passes that on. After this long, in ms, perhaps no tab leads any
 * more.
 */
const silentFor = 40_000
const checkEveryMs = 5_000

/**
 * All tabs of a browser with the same name share one stream: the tab that holds the lock has the connection and
 * tells the others. A closed or frozen tab gives it away, and one that does not answer loses the lock. Each tab
 * knows its position, so the next one goes on from there (decision 0125).
 */
export class SharedStream {
  readonly #url: string
  readonly #name: string
  readonly #reader: StreamReader
  readonly #tab = crypto.randomUUID()
  #position: string | null
  #channel: BroadcastChannel | undefined
  #stream: Stream | undefined
  #log = new ChangeLog(null)
  #status: LiveStatus | null = null
  #release: (() => void) | undefined
  #waiting: AbortController | undefined
  #turn = 0
  #ended = false
  #lastMessageAt = 0
  #watch: ReturnType<typeof setInterval> | undefined
  #doubt: ReturnType<typeof setTimeout> | undefined

  constructor(url: string, name: string, position: string | null, reader: StreamReader) {
    this.#url = url
    this.#name = name
    this.#position = position
    this.#reader = reader
  }

  open(): void {
    if (this.#channel || this.#stream) return
    this.#ended = false
    // Browsers have neither of these without HTTPS, so each tab has its own stream.
    if (!('locks' in navigator) || !('BroadcastChannel' in globalThis)) {
      this.#lead()
      return
    }
    this.#channel = new BroadcastChannel(this.#name)
    this.#channel.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#receive(data)
    this.#lastMessageAt = Date.now()
    this.#watch = setInterval(() => {
      if (!this.#stream && Date.now() - this.#lastMessageAt > silentFor) this.#ask()
    }, checkEveryMs)
    this.#compete()
    this.#ask()
  }

  close(): void {
    clearInterval(this.#watch)
    clearTimeout(this.#doubt)
    this.#follow()
    this.#turn += 1
    this.#waiting?.abort()
    this.#release?.()
    this.#release = undefined
    this.#channel?.close()
    this.#channel = undefined
  }

  /** The tab may have slept, become visible, or has a network again. */
  wake(): void {
    if (this.#stream) this.#stream.wake()
    else if (this.#channel && !this.#ended) this.#ask()
  }

  /** The tab waits for the lock, or takes it from a tab that does not answer. */
  #compete(steal = false): void {
    this.#waiting?.abort()
    const waiting = new AbortController()
    this.#waiting = waiting
    this.#turn += 1
    const turn = this.#turn
    const lead = () => {
      if (turn !== this.#turn) return
      this.#lead()
      return new Promise<void>((resolve) => {
        this.#release = resolve
      })
    }
    navigator.locks
      .request(this.#name, steal ? { steal } : { signal: waiting.signal }, lead)
      .catch((error: unknown) => {
        if (turn !== this.#turn) return
        const isStolen = error instanceof DOMException && error.name === 'AbortError'
        this.#release = undefined
        this.#follow()
        // A browser that refuses locks here lets no tab lead.
        if (!isStolen) return this.#lead()
        this.#compete()
        this.#ask()
      })
  }

  #lead(): void {
    if (this.#stream || this.#ended) return
    clearTimeout(this.#doubt)
    this.#log = new ChangeLog(this.#position)
    this.#stream = new Stream(this.#url, this.#position, {
      onMessage: (message) => {
        if (message.kind === 'changed') this.#log.add(message.position, message.subjects)
        if (message.kind === 'beat') this.#log.add(message.position, [])
        this.#post({ kind: 'message', message })
        this.#apply(message)
      },
      onState: (state) => {
        this.#post({ kind: 'state', state })
        this.#reader.onState(state)
      },
    })
    this.#stream.open()
  }

  #follow(): void {
    this.#stream?.close()
    this.#stream = undefined
  }

  /** The tab asks who leads. No tab answers when the one that holds the lock is frozen, or leads no more. */
  #ask(): void {
    this.#post({ kind: 'hello', tab: this.#tab, position: this.#position })
    const askedAt = Date.now()
    clearTimeout(this.#doubt)
    this.#doubt = setTimeout(() => {
      if (!this.#stream && !this.#ended && this.#lastMessageAt <= askedAt) this.#compete(true)
    }, answerWithin)
  }

  #receive(said: TabMessage): void {
    if (said.kind === 'hello') this.#answer(said.tab, said.position)
    // A leading tab ignores the messages of other leading tabs.
    if (said.kind === 'hello' || this.#stream) return
    this.#lastMessageAt = Date.now()
    if (said.kind === 'message') this.#apply(said.message)
    else this.#reader.onState(said.state)
    if (said.kind !== 'here' || said.tab !== this.#tab) return
    if (said.status) this.#apply({ kind: 'status', status: said.status })
    this.#apply({ kind: 'changed', subjects: said.missed, position: said.position })
  }

  #answer(tab: string, position: string | null): void {
    if (!this.#stream || this.#ended) return
    const [state, status, missed] = [this.#stream.state, this.#status, this.#log.since(position)]
    this.#post({ kind: 'here', tab, state, status, missed, position: this.#log.position })
  }

  #post(said: TabMessage): void {
    this.#channel?.postMessage(said)
  }

  #apply(message: StreamMessage): void {
    if (message.kind === 'changed' || message.kind === 'beat')
      this.#position = later(this.#position, message.position)
    if (message.kind === 'status') this.#status = message.status
    // The lock is kept until the feed opens again, because the server would refuse another tab too.
    if (message.kind === 'signed-out') this.#ended = true
    this.#reader.onMessage(message)
  }
}
