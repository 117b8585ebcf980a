import 'server-only'
import { keyedDigest } from '#lib/keys/keyed-digest.ts'

/** Identifies a person to their own open pages, without revealing who that is. `callerId` as in `Caller.id`. */
export const personTag = (callerId: string): string => keyedDigest('repeat', callerId).toString('base64url')
