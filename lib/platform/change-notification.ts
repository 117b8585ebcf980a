import 'server-only'
import { z } from 'zod'

/** A batch announces its changes on this channel. */
export const changeChannel = 'subjects_changed'

/**
 * A notification has the changed subjects, each with the user or entity that may know of the change, and the time (ms since
 * 1970).
 */
export interface ChangeNotification {
  readonly at: number
  readonly subjects: readonly (readonly [subjectId: string, userUuid: string | null])[]
}

/** PostgreSQL allows up to 8,000 bytes in one notification. */
const maxBytes = 7_500

/** A batch has one payload, or several when it does not fit into one. */
export function changePayloads(
  changes: readonly { readonly subjectId: string; readonly userUuid: string | null }[],
  at: number,
): string[] {
  const payloads: string[] = []
  let subjects: [string, string | null][] = []
  let size = 0
  for (const { subjectId, userUuid } of changes) {
    const bytes = Buffer.byteLength(JSON.stringify([subjectId, userUuid])) + 1
    if (size + bytes > maxBytes && subjects.length > 0) {
      payloads.push(JSON.stringify({ at, subjects }))
      subjects = []
      size = 0
    }
    subjects.push([subjectId, userUuid])
    size += bytes
  }
  if (subjects.length > 0) payloads.push(JSON.stringify({ at, subjects }))
  return payloads
}

/** The parser returns null for a text that is no payload. */
export function parseChange(payload: string): ChangeNotification | null {
  try {
    return PayloadSchema.parse(JSON.parse(payload))
  } catch {
    return null
  }
}

const PayloadSchema = z.object({
  at: z.number(),
  subjects: z.array(z.tuple([z.string(), z.string().nullable()])),
})
