import 'server-only'
import { keyedDigests } from '#lib/platform/keys/keyed-digest.ts'

/** Identifies a person to their own open pages, without revealing who that is: newest first. `callerId` as in `Caller.id`. */
export function personTags(callerId: string): readonly [string, ...string[]] {
  const [newest, ...older] = keyedDigests('repeat', callerId)
  return [newest.toString('base64url'), ...older.map((digest) => digest.toString('base64url'))]
}
