import 'server-only'
import { keepFor } from '#lib/db/keep-for.ts'
import type { LiveStatus } from '#lib/domain/health/health.ts'
import { readStatus } from '#lib/health/read-status.ts'
import { statusFor } from '#lib/health/status-for.ts'
import type { Caller } from '#lib/request/caller.ts'
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
