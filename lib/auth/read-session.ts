import 'server-only'
import type { Caller } from './caller.ts'

/** Stub. */
export async function readSession(_token: string, _now: Date): Promise<Caller | null> {
  return null
}
