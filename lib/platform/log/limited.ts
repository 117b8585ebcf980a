import type { Log } from './create-log.ts'
import { errorFields } from './error-fields.ts'

/** `LimitedLog` logs each cause at once, and then at most once per interval with the number of omitted lines (`more`). */
interface LimitedLog {
  info(cause: string, fields: object, message: string): void
  warn(cause: string, fields: object, message: string): void
  error(cause: string, fields: object, message: string): void
}

/** So many causes are counted separately. The others count as one, so that no sender can fill the memory. */
const mostCauses = 50

/** `forgetHeldBack` is for tests: each cause is logged at once again. */
export function forgetHeldBack(): void {
  era += 1
}

let era = 0

type Level = 'info' | 'warn' | 'error'

interface Silenced {
  // biome-ignore-start lint/plugin: changes with each line that is held back
  more: number
  again: () => void
  // biome-ignore-end lint/plugin: as above
}

/** @param every milliseconds between two lines of one cause */
export function limitedLog(log: Log, every = 10_000): LimitedLog {
  const silenced = new Map<string, Silenced>()
  let began = era

  function write(level: Level, cause: string, fields: object, message: string, more = 0) {
    log[level]({ cause, ...fields, ...(more > 0 ? { more } : {}) }, message)
  }

  function say(level: Level, named: string, fields: object, message: string) {
    if (began !== era) silenced.clear()
    began = era
    const cause = silenced.has(named) || silenced.size < mostCauses ? named : 'other'
    const known = silenced.get(cause)
    if (known) {
      known.more += 1
      known.again = () => write(level, cause, fields, message, known.more)
      return
    }
    write(level, cause, fields, message)
    silence(cause)
  }

  function silence(cause: string) {
    const one: Silenced = { more: 0, again: () => undefined }
    silenced.set(cause, one)
    const begun = era
    setTimeout(() => {
      if (begun !== era) return
      silenced.delete(cause)
      if (one.more === 0) return
      one.again()
      silence(cause)
    }, every).unref()
  }

  return {
    info: (cause, fields, message) => say('info', cause, fields, message),
    warn: (cause, fields, message) => say('warn', cause, fields, message),
    error: (cause, fields, message) => say('error', cause, fields, message),
  }
}

/** The cause distinguishes the errors of one place, by their code or name. */
export function causeOf(error: unknown): string {
  const { code, name } = errorFields(error, 0)
  return String(code ?? name)
}

/**
 * `noting` is for failures without a consequence: `promise.catch(note('debug', 'why nothing is lost'))` logs them and
 * continues.
 */
export const noting =
  (log: Log) =>
  (level: 'debug' | 'info' | 'warn' | 'error', message: string) =>
  (error: unknown): void =>
    log[level]({ err: error }, message)
