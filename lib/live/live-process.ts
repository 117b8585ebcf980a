import 'server-only'
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { countDenied } from '#lib/identity/sessions/denied-requests.ts'
import { findToken } from '#lib/identity/sessions/session-cookie.ts'
import type { Status } from '#lib/operations/status/status.ts'
import { variablesFor } from '#lib/platform/env/parts.ts'
import { drain } from '#lib/platform/http/request-bodies.ts'
import { logOf } from '#lib/platform/log.ts'
import type { ProcessMetrics } from '#lib/platform/metrics.ts'
import { watchSilence } from '#lib/platform/watch-silence.ts'
import type { HandedOver } from './hold-connection.ts'
import { refusalHeaders, wantedOf } from './open-live-stream.ts'
import type { PageStart } from './start-of-page.ts'

const log = logOf('live')

/** `LiveProcess` is the process that holds the streams (`live.ts`), as the web server uses it. */
export interface LiveProcess extends PageStart {
  /**
   * `take` hands over the connection of a request for a stream, or refuses the request while no process can hold it.
   */
  take(request: IncomingMessage, response: ServerResponse): void
  /** `refuse` answers that no stream is available here now. */
  refuse(response: ServerResponse): void
  /** A handed-over connection is left alone here: nobody answers further requests on it. */
  has(socket: Socket): boolean
  /** The pid is that of the process that holds the streams now. */
  pid(): number
  /** The process reports from time to time what it has measured. */
  onMetrics(listener: (metrics: ProcessMetrics) => void): void
  /** No such process has given a sign for so many milliseconds. */
  silentMs(): number
  stop(): Promise<void>
}

/** `live.ts` sends these messages. */
export type LiveProcessMessage =
  | { readonly kind: 'alive' }
  /** The process has taken the oldest of the connections on their way to it. */
  | { readonly kind: 'took' }
  /** The position is that of a viewer who has received every message so far. */
  | { readonly kind: 'moved'; readonly position: string }
  | { readonly kind: 'looked'; readonly status: Status }
  | { readonly kind: 'metrics'; readonly metrics: ProcessMetrics }

/**
 * The process is ended after so many milliseconds without a message. Its first message takes longer where memory or the
 * processor is short.
 */
const patience = { startMs: 180_000, silenceMs: 30_000 }

/** A process that was silent for this many milliseconds gets no new connections. */
const doubtMs = 6_000

/** A process that ended is started again after this many milliseconds. */
const pauseMs = 500

/** A browser tries again after this many seconds. */
const retryAfter = 2

/** At most this many connections wait for the process to take them. */
const mostOnTheirWay = 500

/** The defaults are the options of this process. */
export interface LiveProcessOptions extends Pick<ForkOptions, 'env' | 'execArgv' | 'execPath'> {
  readonly patience?: typeof patience
}

/**
 * `startLiveProcess` starts the process, and starts it again whenever it ends. Pages then reconnect to the next one. It
 * throws when the first start fails.
 */
export async function startLiveProcess({
  patience: { startMs, silenceMs } = patience,
  ...options
}: LiveProcessOptions = {}): Promise<LiveProcess> {
  let child: ChildProcess
  /**
   * These connections are on their way to the process. Node would neither send nor close them when the process dies
   * before.
   */
  const onTheirWay: Socket[] = []
  const handedOver = new WeakSet<Socket>()
  let stopping = false
  let starting = true
  const watch = watchSilence(
    silenceMs / 4,
    () => (starting ? startMs : silenceMs),
    () => child.kill('SIGKILL'),
  )
  /** A process that ends at its start over and over gives no sign. */
  let signAt = performance.now()
  let latest = ''
  let tellMetrics: (metrics: ProcessMetrics) => void = () => undefined
  let known: { readonly status: Status; readonly at: number } | null = null

  /** `launch` starts one process. `ended` resolves when the process has ended or could not be started. */
  function launch(): { readonly ready: Promise<void>; readonly ended: Promise<void> } {
    const ready = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const end = (cause: string) => {
      // The browsers of these connections reconnect.
      for (const socket of onTheirWay.splice(0)) socket.destroy()
      ready.reject(new Error(`The process of the streams ended while starting (${cause})`))
      ended.resolve()
    }
    watch.hear()
    starting = true
    try {
      const next = fork('live.ts', [], {
        serialization: 'advanced',
        ...options,
        env: variablesFor('live', options.env),
      })
      child = next
      next.on('message', (message: LiveProcessMessage) => {
        watch.hear()
        starting = false
        signAt = performance.now()
        if (message.kind === 'took') onTheirWay.shift()?.destroy()
        if (message.kind === 'metrics') tellMetrics(message.metrics)
        if (message.kind === 'looked') known = { status: message.status, at: signAt }
        if (message.kind !== 'moved') return
        latest = message.position
        ready.resolve()
      })
      next.on('error', (error) => {
        log.warn({ err: error }, 'The process of the streams was not reached')
        if (next.pid === undefined) end(error.message)
      })
      next.once('exit', (code, signal) => end(String(signal ?? code)))
    } catch (error) {
      end(String(error))
    }
    return { ready: ready.promise, ended: ended.promise }
  }

  let current = launch()

  async function keepRunning(): Promise<void> {
    for (;;) {
      await current.ended
      if (!stopping) log.error('The process of the streams ended and is started again')
      await setTimeout(pauseMs, undefined, { ref: false })
      if (stopping) return
      current = launch()
      current.ready.catch((error: unknown) => log.error({ err: error }, 'It was not ready'))
    }
  }

  /**
   * A request without our cookie is refused here. `live.ts` checks the session, because it has no secret to read the
   * cookie.
   */
  async function handOver(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request
    const token = await findToken(request.headers.cookie ?? null)
    const close = { connection: 'close' }
    if (token === null) {
      await countDenied(null, '/api/live')
      refuse(response, 401, close)
    } else if (canTake() && !socket.destroyed) {
      const wanted = wantedOf(String(request.headers['last-event-id'] ?? ''), request.url)
      const headers = Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)])
      const message: HandedOver = { request: { token, ...wanted }, headers: Object.fromEntries(headers) }
      onTheirWay.push(socket)
      child.send(message, socket, { keepOpen: true })
    } else refuse(response, 503, close)
  }

  function canTake(): boolean {
    // The channel may seem open for a moment after the process has ended.
    const ended = child.exitCode !== null || child.signalCode !== null
    const lives = !ended && child.connected && watch.silentMs() <= doubtMs
    return lives && onTheirWay.length < mostOnTheirWay
  }

  try {
    await current.ready
  } catch (error) {
    watch.stop()
    throw error
  }
  void keepRunning()
  return {
    take(request, response) {
      const { socket } = request
      if (request.method !== 'GET') {
        refuse(response, 405, { allow: 'GET' })
        return
      }
      if (response.socket === null) {
        // Earlier requests on this connection still wait for their answers, which would follow the stream's head.
        refuse(response, 503)
        return
      }
      handedOver.add(socket)
      void handOver(request, response).catch((error: unknown) => {
        log.error({ err: error }, 'A stream could not be handed over')
        socket.destroy()
      })
    },
    refuse: (response) => refuse(response, 503),
    has: (socket) => handedOver.has(socket),
    pid: () => child.pid ?? 0,
    onMetrics(listener) {
      tellMetrics = listener
    },
    silentMs: () => performance.now() - signAt,
    position: () => latest,
    recentStatus: (ms) => (known && performance.now() - known.at < ms ? known.status : null),
    async stop() {
      stopping = true
      watch.stop()
      child.kill('SIGTERM')
      await Promise.race([current.ended, setTimeout(3_000, undefined, { ref: false })])
      child.kill('SIGKILL')
      await current.ended
    },
  }
}

/**
 * The path is `/api/live`, with any method and query. No such request reaches Next, which would hold a stream itself.
 */
export const asksForStream = ({ url }: IncomingMessage): boolean => url?.split('?', 1)[0] === '/api/live'

/** Only a 503 says when to come back. The connection stays open until the body of the request has arrived. */
function refuse(response: ServerResponse, status: 401 | 405 | 503, more: Record<string, string> = {}) {
  drain(response)
  response.writeHead(status, { ...refusalHeaders(status === 503 ? retryAfter : undefined), ...more }).end()
}
