import { type Logger, pino } from 'pino'
import { errorFields } from './error-fields.ts'
import { writeLine } from './output.ts'

export type Log = Logger

export interface LogOptions {
  /** The least urgent level that is written, as pino names it. */
  readonly level: string
  /** Fields of the whole program. */
  readonly base?: Readonly<Record<string, string>>
  /** Fields that hold at the moment when a line is written. */
  readonly fieldsOfEachLine?: () => object
}

/** A log on standard output: human lines on a terminal, JSON lines otherwise. Each call writes one line. */
export function createLog({ level, base = {}, fieldsOfEachLine = () => ({}) }: LogOptions): Log {
  return pino(
    {
      level,
      base: { ...base, pid: process.pid },
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
      mixin: fieldsOfEachLine,
    },
    { write: writeLine },
  )
}
