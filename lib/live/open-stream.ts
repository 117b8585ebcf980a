import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'
import { visibleTo } from '#lib/events/visible-to.ts'
import { type Hub, hub, type Message } from './hub.ts'
import { sessionGoesOn } from './session-goes-on.ts'

export interface StreamOptions {
  /** The id of the last message this browser saw, when it comes back. */
  readonly lastEventId: string | null
  readonly signal: AbortSignal
  readonly source?: Hub
  /** Milliseconds between signs of life; the session is looked at as often. */
  readonly heartbeat?: number
}

/** Bytes that may wait for a browser that does not read; then it is let go and comes back by itself. */
const mostWaiting = 64 * 1024

/**
 * One browser's stream of server-sent events: `{ kind: 'changed', subjects, at }`, with `subjects: null` when anything
 * may have changed. Ends when the browser leaves or the session ends. Throws `NotAllowed`.
 */
export function openStream(caller: Caller, options: StreamOptions): ReadableStream<Uint8Array> {
  const { lastEventId, signal, source = hub(), heartbeat = 15_000 } = options
  const owner = visibleTo(caller)
  let stop = () => false
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let open = true
        const close = () => {
          if (stop()) controller.close()
        }
        const write = (text: string) => {
          if (!open) return
          controller.enqueue(encoder.encode(text))
          if ((controller.desiredSize ?? 0) <= 0) close()
        }
        const tell = (message: Message) => {
          const text = textOf(message, owner)
          if (text) write(text)
        }
        const forget = source.listen(tell)
        const beat = setInterval(async () => {
          if (await sessionGoesOn(caller).catch(() => true)) write(': still here\n\n')
          else close()
        }, heartbeat)
        stop = () => {
          const wasOpen = open
          open = false
          clearInterval(beat)
          forget()
          return wasOpen
        }
        if (signal.aborted) return close()
        signal.addEventListener('abort', close, { once: true })
        write('retry: 2000\n\n')
        if (lastEventId !== null) for (const message of missed(source, lastEventId)) tell(message)
      },
      cancel() {
        stop()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: mostWaiting }),
  )
}

/** After a break too long to make good, or in another process, anything may have changed. */
const missed = (source: Hub, id: string): readonly Message[] => source.since(id) ?? [{ id, changed: null }]

/** Null when the message concerns nothing that this person may see. */
function textOf({ id, changed }: Message, owner: string | null): string | null {
  const subjects = changed?.subjects
    .filter(([, userUuid]) => owner === null || userUuid === owner)
    .map(([subjectId]) => subjectId)
  if (subjects?.length === 0) return null
  const data = { kind: 'changed', subjects: subjects ?? null, at: new Date(changed?.at ?? Date.now()) }
  return `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`
}

const encoder = new TextEncoder()
