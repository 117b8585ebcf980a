import 'server-only'
import { Refused } from '#lib/request/refusals.ts'

/** Too many, or too soon: says how long to wait. */
export function refuseWithWait(seconds: number, title: string): Refused {
  const wait = seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  return new Refused({ title, next: `Wait ${wait}, then try again.` })
}
