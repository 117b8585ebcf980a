import 'server-only'
import type pg from 'pg'
import { type Caller, visibleTo } from '#lib/access/caller.ts'
import { readStatus, type Status } from '#lib/operations/status/status.ts'
import { type Listener, listener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { openChangeBroadcast } from './change-broadcast.ts'
import { watchSessions } from './session-watch.ts'
import { watchStatus } from './status-watch.ts'

/** A stream is written to a sink, independent of the HTTP server. */
export interface Sink {
  /** `begin` is called before anything is written. */
  begin(): void
  /** `write` returns false while the browser is too slow. `drained` is called when it has caught up. */
  write(bytes: Uint8Array): boolean
  end(): void
}

export type Opened =
  | {
      readonly kind: 'open'
      drained(): void
      /** `leave` is called when the browser has left. */
      leave(): void
      end(): void
    }
  /** `retryAfter` is in seconds. */
  | { readonly kind: 'refused'; readonly status: 401 | 429 | 503; readonly retryAfter?: number }

/** `Streams` holds the open streams of one process. */
export interface Streams {
  /** `open` first sends the changes after `position`, if there is one. It throws `NotAllowed`. */
  open(caller: Caller, sink: Sink, wanted: WantedStream): Opened
  /** The stream of a page that is made now begins at this position. */
  position(): string
  /** The status is null when it was not read within this many milliseconds. */
  recentStatus(ms: number): Status | null
  close(): void
}

export interface WantedStream {
  /**
   * The browser is at this position: the id of the last message it received, or the position when its page was made.
   */
  readonly position: string | null
  /** The stream displaces no other one, because it was displaced itself. */
  readonly onlyIfFree: boolean
}

export interface StreamLimits {
  /** A session has at most this many streams. The tabs of a browser share one where they can. */
  readonly ofSession: number
  /** This process has at most this many streams. */
  readonly ofProcess: number
  /**
   * Heartbeats are this many milliseconds apart. A proxy notices at the first or second one that its browser has left.
   */
  readonly heartbeat: number
  /** Sessions are all checked at this interval in milliseconds. A stream that was not read for as long is closed. */
  readonly check: number
}

const usual: StreamLimits = { ofSession: 6, ofProcess: 2_000, heartbeat: 5_000, check: 15_000 }

export interface StreamOptions {
  readonly limits?: StreamLimits
  /** `onMessage` gets the position after each message to the streams. */
  readonly onMessage?: (position: string) => void
  /** `onStatus` gets the status each time it was read. */
  readonly onStatus?: (status: Status) => void
}

/**
 * A page whose stream was refused tries again after this many seconds. Until then it polls for changes at the same
 * interval.
 */
const retryAfter = 15

/** These are the streams of this process, where the API route holds them. */
export function streams(): Streams {
  globalThis.rampartStreams ??= openStreams(listener(), pool())
  return globalThis.rampartStreams
}

/**
 * `openStreams` opens the streams of a process. Each stream sends the changed subjects, ends with its session, and
 * keeps at most one unread message.
 */
export function openStreams(
  source: Listener,
  database: pg.Pool,
  { limits = usual, onMessage, onStatus }: StreamOptions = {},
): Streams {
  const broadcast = openChangeBroadcast(source, onMessage)
  const sessions = watchSessions(database, source)
  const statuses = watchStatus(source, async () => {
    const status = await readStatus()
    onStatus?.(status)
    return status
  })
  /** Each session has the functions that end its streams, the oldest first. */
  const open = new Map<string, Set<() => void>>()
  let total = 0
  /** The position is that of one heartbeat ago: every message up to there has surely been written. */
  let settled = broadcast.position()
  const heartbeat = setInterval(() => {
    broadcast.sendToAll(encodeHeartbeat(settled), encodeHeartbeat(''))
    settled = broadcast.position()
  }, limits.heartbeat)
  heartbeat.unref()
  const check = setInterval(() => {
    sessions.checkAll()
    statuses.check()
  }, limits.check)
  check.unref()

  /** `takePlace` counts a stream. Its result frees the place. */
  function takePlace(sessionId: string, displace: () => void): () => void {
    const ofSession = open.get(sessionId) ?? new Set()
    open.set(sessionId, ofSession.add(displace))
    total += 1
    return () => {
      total -= 1
      ofSession.delete(displace)
      if (ofSession.size === 0 && open.get(sessionId) === ofSession) open.delete(sessionId)
    }
  }

  function start(caller: Caller, sink: Sink, position: string | null): Opened {
    const owner = visibleTo(caller)
    let joined = true
    let behindSince: number | null = null
    let missed = false
    const send = (bytes: Uint8Array) => {
      if (!joined) return
      if (behindSince === null) {
        if (!sink.write(bytes)) behindSince = performance.now()
      } else if (performance.now() - behindSince < limits.check) missed = true
      else end()
    }
    const leave = () => {
      if (!joined) return
      joined = false
      freePlace()
      forget()
      unwatch()
      forgetStatus()
    }
    const end = () => {
      if (!joined) return
      leave()
      sink.end()
    }
    // The last message says why the stream ends, so that the page need not ask.
    const endSaying = (why: Buffer) => {
      if (joined) sink.write(why)
      end()
    }
    const freePlace = takePlace(caller.sessionId, () => endSaying(displaced))
    const forget = broadcast.join({ owner, send })
    const unwatch = sessions.add(caller, () => endSaying(signedOut))
    sink.begin()
    send(hello)
    const message = position === null ? null : broadcast.since(position, owner)
    if (message) send(message)
    const forgetStatus = statuses.join(caller.role, send)
    return {
      kind: 'open',
      leave,
      end,
      drained() {
        behindSince = null
        if (!missed) return
        missed = false
        send(anythingChanged)
        const status = statuses.latest(caller.role)
        if (status) send(status)
      },
    }
  }

  return {
    open(caller, sink, { position, onlyIfFree }) {
      const ofSession = open.get(caller.sessionId) ?? new Set()
      const [oldest] = ofSession
      const isFull = total >= limits.ofProcess
      if (isFull || ofSession.size >= limits.ofSession) {
        // Proxies keep streams open whose browser has left. Those are the oldest.
        if (onlyIfFree || !oldest) return { kind: 'refused', status: isFull ? 503 : 429, retryAfter }
        oldest()
      }
      return start(caller, sink, position)
    },
    position: broadcast.position,
    recentStatus: statuses.recent,
    close() {
      clearInterval(heartbeat)
      clearInterval(check)
      broadcast.close()
      sessions.close()
      statuses.close()
    },
  }
}

/** A browser whose connection broke reconnects after 2 s. The beat shows it that no proxy buffers the stream. */
const hello = Buffer.from('retry: 2000\n\nevent: beat\ndata: \n\n')
/**
 * The heartbeat shows a browser that the stream works, and its position when nothing has changed. Customers get no
 * position, because it would show them that others received something.
 */
const encodeHeartbeat = (position: string) => Buffer.from(`event: beat\ndata: ${position}\n\n`)
/** A stream ends with this message when its session has ended or is locked. */
const signedOut = Buffer.from('data: {"kind":"signed-out"}\n\n')
/** A stream ends with this message when a newer one of its session displaced it. */
const displaced = Buffer.from('data: {"kind":"displaced"}\n\n')
/** A reader that was too slow to receive every message gets this one. */
const anythingChanged = Buffer.from('data: {"kind":"changed","subjects":null}\n\n')

declare global {
  var rampartStreams: Streams | undefined
}
