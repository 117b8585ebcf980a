import type { Pool } from 'pg'
import type { Clock } from '../time/clock.ts'
import type { Timekeeper } from '../time/timekeeper.ts'
import type { Faults } from './faults.ts'
import type { Ids } from './ids.ts'
import type { Log } from './log.ts'
import type { Options } from './options.ts'
import type { Refusals } from './refusals.ts'

/** What every part of the running sandbox works with. */
export interface Sandbox {
  readonly pool: Pool
  readonly clock: Clock
  readonly ids: Ids
  readonly time: Timekeeper
  readonly log: Log
  /** What goes wrong on purpose. */
  readonly faults: Faults
  readonly refusals: Refusals
  readonly options: Options
  readonly apiKey: string
  /** The schema of a namespace; the sandbox itself has none. */
  readonly schema: string | undefined
  /** The service's base address, with the onboarding path and without a slash at its end. */
  readonly publicUrl: string
  readonly port: number
  /** The dashboard that links lead to, without a slash at its end; none is linked without it. */
  readonly dashboardUrl: string | undefined
  /** Names, beside its own, that the console and the control interface answer to. */
  readonly controlHosts: string[]
  /** Fires when the sandbox stops: whatever waits gives up. */
  readonly stopping: AbortSignal
  /** Where mails leave to; without it they only land in the mailbox. */
  readonly smtpUrl: string | undefined
}
