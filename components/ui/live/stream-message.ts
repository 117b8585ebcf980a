import type { LiveStatus } from '#lib/operations/rules/health.ts'

/** The subjects that changed, or `anything` after a break, when nobody can say. */
export type ChangedSubjects = readonly string[] | 'anything'

/** What a stream brings. `position` is how far it is with it; null where it was not said. */
export type StreamMessage =
  | { readonly kind: 'changed'; readonly subjects: ChangedSubjects; readonly position: string | null }
  | { readonly kind: 'status'; readonly status: LiveStatus }
  /** The stream lives. */
  | { readonly kind: 'beat'; readonly position: string | null }
  /** The session is over, and the stream with it. */
  | { readonly kind: 'signed-out' }
  /** A newer stream of this session took its place. */
  | { readonly kind: 'displaced' }

/** Reads a message without a name: `{ kind: 'changed', subjects }`, whose `subjects` are null when anything may have changed; or the stream's last word. */
export function readMessage(data: unknown, id: string): StreamMessage | null {
  const position = id === '' ? null : id
  const message = parse(data)
  if (typeof message !== 'object' || message === null || !('kind' in message))
    return { kind: 'changed', subjects: 'anything', position }
  if (message.kind === 'signed-out' || message.kind === 'displaced') return { kind: message.kind }
  if (message.kind !== 'changed' || !('subjects' in message)) return null
  const subjects = Array.isArray(message.subjects) ? message.subjects.map(String) : 'anything'
  return { kind: 'changed', subjects, position }
}

/** Reads a message `status`. The server of this page wrote it, in the shape that it gives to pages. */
export function readStatusMessage(data: string): StreamMessage | null {
  const status = parse(data)
  return isStatus(status) ? { kind: 'status', status } : null
}

const isStatus = (value: unknown): value is LiveStatus =>
  typeof value === 'object' && value !== null && 'at' in value && 'health' in value && 'counts' in value

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

/** How far a stream was read: `count` messages of the process that started as `boot`. */
interface Position {
  readonly boot: string
  readonly count: number
}

export function parseStreamPosition(text: string | null): Position | null {
  const [boot, count] = text?.split('.') ?? []
  return boot && count && /^\d+$/.test(count) ? { boot, count: Number(count) } : null
}

/** The later of two; one of another process is later than what was known, since the stream has moved there. */
export function later(known: string | null, next: string | null): string | null {
  const [before, after] = [parseStreamPosition(known), parseStreamPosition(next)]
  if (!after) return known
  return before?.boot === after.boot && before.count > after.count ? known : next
}
