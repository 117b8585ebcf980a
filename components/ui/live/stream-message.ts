import type { LiveStatus } from '#lib/operations/rules/health.ts'

/** These subjects changed. `anything` follows a break, when the changes are unknown. */
export type ChangedSubjects = readonly string[] | 'anything'

/**
 * A stream brings these messages. `position` is the stream's position after the message; null when it was not
 * given.
 */
export type StreamMessage =
  | { readonly kind: 'changed'; readonly subjects: ChangedSubjects; readonly position: string | null }
  | { readonly kind: 'status'; readonly status: LiveStatus }
  /** The stream still works. */
  | { readonly kind: 'beat'; readonly position: string | null }
  /** The session is over, and the stream with it. */
  | { readonly kind: 'signed-out' }
  /** A newer stream of this session replaced it. */
  | { readonly kind: 'displaced' }

/**
 * A message without a name is `{ kind: 'changed', subjects }`, whose `subjects` are null when anything may have
 * changed, or the last message of the stream.
 */
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

/** A message `status` has the shape that the server of this page gives to pages. */
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

/** All messages up to the number `count` were read of the process that started as `boot`. */
interface Position {
  readonly boot: string
  readonly count: number
}

export function parseStreamPosition(text: string | null): Position | null {
  const [boot, count] = text?.split('.') ?? []
  return boot && count && /^\d+$/.test(count) ? { boot, count: Number(count) } : null
}

/**
 * The later position of two is returned. A position of another process is later than the known one, since the
 * stream has moved there.
 */
export function later(known: string | null, next: string | null): string | null {
  const [before, after] = [parseStreamPosition(known), parseStreamPosition(next)]
  if (!after) return known
  return before?.boot === after.boot && before.count > after.count ? known : next
}
