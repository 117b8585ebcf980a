import 'server-only'
import { Refused, waitLabel } from '../refusals.ts'

/** Too many, or too soon: says how long to wait. */
export function refuseWithWait(seconds: number, title: string): Refused {
  return new Refused({ title, next: `Wait ${waitLabel(seconds)}, then try again.` })
}
