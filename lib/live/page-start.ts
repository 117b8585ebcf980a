import 'server-only'
import type { Status } from '#lib/operations/status/read-status.ts'
import { streams } from './streams.ts'

/** What a page needs to know of the streams when it is made. */
export interface PageStart {
  /** Where its stream begins. */
  position(): string
  /** How deliveries and the service stand, if that was read less than so many milliseconds ago. */
  recentStatus(ms: number): Status | null
}

/** Of the process that holds the streams; of this one where the API route holds them. */
export const pageStart = (): PageStart => globalThis.rampartPageStart ?? streams()

declare global {
  var rampartPageStart: PageStart | undefined
}
