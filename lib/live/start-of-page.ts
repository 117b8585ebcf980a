import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import type { LiveStatus } from '#lib/operations/rules/health.ts'
import { readStatus, type Status, statusFor } from '#lib/operations/status/status.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { streams } from './streams.ts'

/** A page asks the streams for these values when it is made. */
export interface PageStart {
  /** The stream of the page begins at this position. */
  position(): string
  /** The status is null when it was not read within this many milliseconds. */
  recentStatus(ms: number): Status | null
}

/** The streams are those of `live.ts`, or of this process where the API route holds them. */
const pageStart = (): PageStart => globalThis.rampartPageStart ?? streams()

declare global {
  var rampartPageStart: PageStart | undefined
}

/** The stream of a page begins with these values. */
interface StartOfPage {
  /**
   * Every change after this position is sent. It is null for customers, because it would show them that others received
   * something.
   */
  readonly position: string | null
  /** The status is null for customers. */
  readonly status: LiveStatus | null
}

/** A status that is older than three heartbeats, in milliseconds, is read again: no stream keeps it fresh. */
const recentMs = 45_000

/** Pages share a status for this many milliseconds. Their streams bring later changes. */
const sharedMs = 2_000

const shared = keepFor(sharedMs, () => readStatus())

/** `startOfPage` runs before a page reads its data, so that no change is lost between the two. */
export async function startOfPage(caller: Caller): Promise<StartOfPage> {
  if (caller.role === 'end-user') return { position: null, status: null }
  const position = pageStart().position()
  const status = pageStart().recentStatus(recentMs) ?? (await shared.read())
  return { position, status: statusFor(caller.role, status) }
}
