import https from 'node:https'
import { Stream } from '../../../components/ui/live/stream.ts'
import { sleep } from '../faults/test-bed.ts'
import { type Address, ask } from '../proxies/exchange.ts'

/** A request of a person, at a reading of the monotonic clock, took milliseconds. The status 0 means no whole answer. */
export interface Visit {
  readonly at: number
  readonly took: number
  readonly path: string
  readonly status: number
}

/** People read pages until they are told to leave. */
export interface Readers {
  readonly visits: readonly Visit[]
  leave(): Promise<void>
}

/** A person looks at a page for this many milliseconds. */
const readFor = 1_000

/**
 * Each person opens the overview, the list of transactions and its first transaction, again and again, and loads what the
 * page of this version refers to.
 */
export function readPages(address: Address, cookie: string, people: number): Readers {
  const visits: Visit[] = []
  let leaving = false
  const visit = async (path: string, agent: https.Agent) => {
    const at = performance.now()
    const { status, text } = await ask(address, { path, headers: { cookie }, agent })
    // A page that fails after its beginning contains the number of its error.
    const failed = status === 200 && /data-dgst="\d|"digest":"\d/.test(text)
    visits.push({ at, took: performance.now() - at, path, status: failed ? 500 : status })
    return text
  }
  const person = async () => {
    const agent = new https.Agent({ keepAlive: true, maxSockets: 6 })
    const kept = new Set<string>()
    let transaction = '/transactions'
    while (!leaving)
      for (const path of ['/overview', '/transactions', transaction]) {
        if (leaving) break
        const text = await visit(path, agent)
        transaction = /href="(\/transactions\/[0-9a-f-]{36})"/.exec(text)?.[1] ?? transaction
        // A browser keeps the files of a build, and loads only those that it does not know.
        const files = new Set(text.match(/\/_next\/static\/[^"'\\ ]+\.(?:js|css)/g))
        const fresh = [...files].filter((file) => !kept.has(file))
        await Promise.all(fresh.map((file) => visit(file, agent)))
        for (const file of fresh) kept.add(file)
        await sleep(readFor)
      }
    agent.destroy()
  }
  const all = Promise.all(Array.from({ length: people }, person))
  return {
    visits,
    async leave() {
      leaving = true
      await all
    },
  }
}

/** A stream was not live from a reading of the monotonic clock on, for milliseconds. */
export interface Interruption {
  readonly at: number
  readonly took: number
}

export interface HeldStreams {
  /** Streams that are interrupted now are included. */
  interruptions(): readonly Interruption[]
  /** So many changes arrived. */
  changes(): number
  leave(): void
}

/** The streams are the product's own, as a page opens them, with an `EventSource` that carries the cookie. */
export async function holdStreams(address: Address, cookie: string, count: number): Promise<HeldStreams> {
  Object.assign(globalThis, { EventSource: sourceOf(address, cookie), fetch: fetchOf(address, cookie) })
  const past: Interruption[] = []
  const brokenSince = new Map<Stream, number>()
  let changes = 0
  const streams = Array.from({ length: count }, () => {
    const stream: Stream = new Stream('/api/live', null, {
      onMessage({ kind }) {
        if (kind === 'signed-out') throw new Error('A stream was told that its session is over')
        if (kind === 'changed') changes += 1
      },
      onState(state) {
        const at = brokenSince.get(stream)
        if (state !== 'live' && at === undefined) brokenSince.set(stream, performance.now())
        if (state !== 'live' || at === undefined) return
        brokenSince.delete(stream)
        past.push({ at, took: performance.now() - at })
      },
    })
    stream.open()
    return stream
  })
  const until = performance.now() + 30_000
  while (streams.some(({ state }) => state !== 'live')) {
    if (performance.now() > until) throw new Error('A stream did not open')
    await sleep(50)
  }
  return {
    interruptions: () => [
      ...past,
      ...[...brokenSince.values()].map((at) => ({ at, took: performance.now() - at })),
    ],
    changes: () => changes,
    leave: () => streams.forEach((stream) => void stream.close()),
  }
}

/** The class does what a browser's does with one answer. It never reconnects by itself, because `Stream` does. */
const sourceOf = ({ port, ca }: Address, cookie: string) =>
  class Source extends EventTarget {
    static readonly CLOSED = 2
    readyState = 0
    onopen: (() => void) | undefined
    onmessage: ((message: MessageEvent) => void) | undefined
    onerror: (() => void) | undefined
    readonly #request

    constructor(path: string) {
      super()
      this.#request = https.get(
        { port, ca, path, host: 'localhost', family: 4, agent: false, headers: { cookie } },
        (answer) => {
          if (answer.statusCode !== 200) {
            answer.resume()
            return this.#end()
          }
          this.readyState = 1
          this.onopen?.()
          let text = ''
          answer.setEncoding('utf8')
          answer.on('data', (chunk: string) => {
            const messages = (text + chunk).split('\n\n')
            text = messages.pop() ?? ''
            for (const message of messages) this.#hear(message)
          })
          answer.on('error', () => undefined)
          answer.on('close', () => this.#end(0))
        },
      )
      this.#request.on('error', () => this.#end(0))
    }

    close() {
      this.readyState = Source.CLOSED
      this.#request.destroy()
    }

    /** @param state after an answer that is no stream it is closed, and otherwise connecting again */
    #end(state = Source.CLOSED) {
      if (this.readyState === Source.CLOSED) return
      this.readyState = state
      this.onerror?.()
    }

    #hear(message: string) {
      if (this.readyState === Source.CLOSED) return
      const fields = new Map(
        message.split('\n').map((line): [string, string] => {
          const [name = '', ...rest] = line.split(':')
          return [name, rest.join(':').trimStart()]
        }),
      )
      const data = fields.get('data')
      if (data === undefined) return
      const event = new MessageEvent(fields.get('event') ?? 'message', {
        data,
        lastEventId: fields.get('id') ?? '',
      })
      if (event.type === 'message') this.onmessage?.(event)
      else this.dispatchEvent(event)
    }
  }

const fetchOf = (address: Address, cookie: string) => {
  const ownFetch = fetch
  return async (to: string, how?: RequestInit) => {
    if (!to.startsWith('/')) return ownFetch(to, how)
    const { status, headers } = await ask(address, { path: to, headers: { cookie } })
    if (status === 0) throw new TypeError('No answer came')
    const retry = headers['retry-after']
    return new Response(null, { status, headers: retry === undefined ? {} : { 'retry-after': retry } })
  }
}
