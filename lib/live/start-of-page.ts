import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import type { LiveStatus } from '#lib/operations/rules/health.ts'
import { readStatus } from '#lib/operations/status/read-status.ts'
import { statusFor } from '#lib/operations/status/status-for.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { pageStart } from './page-start.ts'

/** What the stream of a page begins with. */
export interface StartOfPage {
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
