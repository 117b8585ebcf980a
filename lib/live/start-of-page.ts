import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import type { LiveStatus } from '#lib/operations/rules/health.ts'
import { readStatus, type Status, statusFor } from '#lib/operations/status/status.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { streams } from './streams.ts'

/** What a page needs to know of the streams when it is made. */
export interface PageStart {
  /** Where its stream begins. */
  position(): string
  /** How deliveries and the service stand, if that was read less than so many milliseconds ago. */
  recentStatus(ms: number): Status | null
}

/** Of the process that holds the streams; of this one where the API route holds them. */
const pageStart = (): PageStart => globalThis.rampartPageStart ?? streams()

declare global {
  var rampartPageStart: PageStart | undefined
}

/** What the stream of a page begins with. */
interface StartOfPage {
  /** Whatever changes after it is sent. Null for customers, whose pages would show by it that something came for others. */
  readonly position: string | null
  /** Null for customers. */
  readonly status: LiveStatus | null
}

/** A status that is older in milliseconds than three heartbeats of the streams is read anew: nobody watches it. */
const recentMs = 45_000

/** Milliseconds for which pages share what one of them has read; their streams bring what changed since. */
const sharedMs = 2_000

const shared = keepFor(sharedMs, () => readStatus())

/** Called before a page reads what it shows, so that nothing falls between the two. */
export async function startOfPage(caller: Caller): Promise<StartOfPage> {
  if (caller.role === 'end-user') return { position: null, status: null }
  const position = pageStart().position()
  const status = pageStart().recentStatus(recentMs) ?? (await shared.read())
  return { position, status: statusFor(caller.role, status) }
}
