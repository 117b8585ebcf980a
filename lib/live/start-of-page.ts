import 'server-only'
import type { LiveStatus } from '#lib/domain/health/health.ts'
import { readStatus } from '#lib/health/read-status.ts'
import { statusFor } from '#lib/health/status-for.ts'
import type { Caller } from '#lib/request/caller.ts'
import { streams } from './streams.ts'

/** What the stream of a page begins with. */
export interface StartOfPage {
  /** Whatever changes after it is sent. */
  readonly position: string
  /** Null for customers. */
  readonly status: LiveStatus | null
}

/** Called before a page reads what it shows, so that nothing falls between the two. */
export async function startOfPage(caller: Caller): Promise<StartOfPage> {
  const position = streams().position()
  if (caller.role === 'end-user') return { position, status: null }
  return { position, status: statusFor(caller.role, streams().recentStatus() ?? (await readStatus())) }
}
