import type { Log } from './create-log.ts'

/** For failures that change nothing: `promise.catch(note('debug', 'why nothing is lost'))` logs them and goes on. */
export const noting =
  (log: Log) =>
  (level: 'debug' | 'info' | 'warn' | 'error', message: string) =>
  (error: unknown): void =>
    log[level]({ err: error }, message)
