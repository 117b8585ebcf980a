import type { Pool } from 'pg'
import type { Clock } from '../time/clock.ts'
import type { Timekeeper } from '../time/timekeeper.ts'
import type { Faults } from './faults.ts'
import type { Ids } from './ids.ts'
import type { Log } from './log.ts'
import type { Options } from './options.ts'
import type { Refusals } from './refusals.ts'

/** Every part of the running sandbox works with these objects. */
export interface Sandbox {
  readonly pool: Pool
  readonly clock: Clock
  readonly ids: Ids
  readonly time: Timekeeper
  readonly log: Log
  readonly faults: Faults
  readonly refusals: Refusals
  readonly options: Options
  readonly apiKey: string
  /** The schema belongs to a namespace; the sandbox itself has none. */
  readonly schema: string | undefined
  /** The service's base address has the onboarding path and no slash at its end. */
  readonly publicUrl: string
  readonly port: number
  /** Links lead to this dashboard. It has no slash at its end, and pages show no links without it. */
  readonly dashboardUrl: string | undefined
  /** The console and the control interface also answer to these names. */
  readonly controlHosts: string[]
  /** The signal fires when the sandbox stops, and then every wait is aborted. */
  readonly stopping: AbortSignal
  /** Mails leave through this server. Without it they only arrive in the mailbox. */
  readonly smtpUrl: string | undefined
}
