import 'server-only'
import { somethingOf } from '#lib/deliveries/rules/something-of.ts'
import type { ChangeNotification } from '#lib/platform/change-notification.ts'

/** A change as it goes to browsers, numbered within this process. */
export interface LiveMessage {
  readonly id: string
  readonly at: number
  /** Null when anything may have changed. */
  readonly subjects: ChangeNotification['subjects'] | null
}

/**
 * One server-sent event with these subjects, or with `subjects: null` when anything may have changed. Made once and
 * written to every stream it is for.
 */
export function encodeMessage(
  { id, at }: Pick<LiveMessage, 'id' | 'at'>,
  subjects: Iterable<string> | null,
): Buffer {
  const data = { kind: 'changed', subjects: subjects && [...new Set(subjects)], at: new Date(at) }
  return Buffer.from(`id: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
}

/** What staff are told of: each subject, and each person of whom something changed, whose page may not know of the subject yet. */
export const namesForStaff = (subjects: ChangeNotification['subjects']): string[] => [
  ...subjects.map(([subjectId]) => subjectId),
  ...subjects.flatMap(([, owner]) => (owner === null ? [] : [somethingOf(owner)])),
]

/** The ids of a message's subjects, by the user they belong to. */
export function subjectsByOwner(subjects: ChangeNotification['subjects']): Map<string, string[]> {
  const owners = new Map<string, string[]>()
  for (const [subjectId, owner] of subjects) {
    if (owner === null) continue
    const known = owners.get(owner)
    if (known) known.push(subjectId)
    else owners.set(owner, [subjectId])
  }
  return owners
}
