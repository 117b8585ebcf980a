import type { Pool } from 'pg'
import type { Clock } from '../time/clock.ts'
import type { Timekeeper } from '../time/timekeeper.ts'
import type { Faults } from './faults.ts'
import type { Log } from './log.ts'
import type { Options } from './options.ts'

/** What every part of the running sandbox works with. */
export interface Sandbox {
  pool: Pool
  clock: Clock
  time: Timekeeper
  log: Log
  /** What goes wrong on purpose. */
  faults: Faults
  options: Options
  apiKey: string
  /** The service's base address, with the onboarding path and without a slash at its end. */
  publicUrl: string
  port: number
  /** Names, beside its own, that the console and the control interface answer to. */
  controlHosts: string[]
  /** Fires when the sandbox stops: whatever waits gives up. */
  stopping: AbortSignal
  /** Where mails leave to; without it they only land in the mailbox. */
  smtpUrl: string | undefined
}
