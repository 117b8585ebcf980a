import { formatWithOptions, inspect } from 'node:util'
import { type Logger, pino } from 'pino'
import { errorFields } from './error-fields.ts'

export type Log = Logger

interface LogOptions {
  /** The level is the least urgent one that is written, as pino names it. */
  readonly level: string
  /** Every line of the program has these fields. */
  readonly base?: Readonly<Record<string, string>>
  /** Each line has the fields of the moment when it is written. */
  readonly fieldsOfEachLine?: () => object
}

/**
 * `createLog` writes to standard output: lines for people on a terminal, and JSON lines otherwise. Each call writes one
 * line.
 */
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

/**
 * The log writes directly to the file descriptor, so that a line is written before the next statement. A full disk or a
 * missing reader costs lines, not the process. At most 1 MB waits for space.
 */
function openStandardOutput() {
  const destination = pino.destination({ dest: 1, sync: true, maxLength: 1_000_000 })
  destination.on('error', () => {
    // There is no other place to report this error.
  })
  return destination
}

let standardOutput: ReturnType<typeof openStandardOutput> | undefined

function writeToStandardOutput(line: string) {
  standardOutput ??= openStandardOutput()
  standardOutput.write(line)
}

let write: (line: string) => void = writeToStandardOutput

/** `writeLine` takes pino's line and writes it in the form for its reader. */
function writeLine(text: string): void {
  const line: Line = JSON.parse(text)
  write(write === writeToStandardOutput && process.stdout.isTTY ? humanLine(line) : jsonLine(line))
}

/** `redirectLog` is for tests: JSON lines go to `target` until its result is called. */
export function redirectLog(target: (line: string) => void): () => void {
  write = target
  return () => {
    write = writeToStandardOutput
  }
}

type Line = Readonly<Record<string, unknown>>

/** The line is JSON. It has no control character except its line end. */
export const jsonLine = (line: Line): string => `${toJson(line)}\n`

/** The line has time, level, component, message and fields for a person. An error's stack frames follow, indented. */
export function humanLine({ time, level, component, message, pid: _pid, ...fields }: Line): string {
  const { frames, rest } = takeFrames(fields)
  const words = Object.entries(rest).map(([name, value]) => `${escapeControls(name)}=${fieldText(value)}`)
  const first = [
    textOf(time).slice(11, 23),
    textOf(level).toUpperCase().padEnd(5),
    textOf(component).padEnd(10),
    textOf(message),
    ...words,
  ]
  return `${[first.join(' '), ...frames.map((frame) => `    ${escapeControls(frame)}`)].join('\n')}\n`
}

/** JSON escapes line breaks and ESC. Terminals and viewers also obey C1 controls, other separators and text direction. */
const escapeControls = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from({ length: found.length }, (_, i) => escapeUnit(found.charCodeAt(i))).join(''),
  )

const escapeUnit = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`

const toJson = (value: unknown) =>
  escapeControls(JSON.stringify(value, (_, one) => (typeof one === 'string' ? redact(one) : one)))

const textOf = (value: unknown) => escapeControls(redact(String(value ?? '')))

/** Texts without blanks and quotes are written unquoted. */
const fieldText = (value: unknown) =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? textOf(value) : toJson(value)

function takeFrames(fields: Record<string, unknown>): { frames: string[]; rest: Record<string, unknown> } {
  const { err, ...others } = fields
  if (typeof err !== 'object' || err === null || !('stack' in err)) return { frames: [], rest: fields }
  const { stack, ...shown } = err
  return { frames: String(stack).split('\n'), rest: { ...others, err: shown } }
}

/**
 * `redact` removes e-mail addresses, IBANs, credentials in addresses, and texts as long as our tokens from a text that
 * others made.
 */
export const redact = (text: string): string =>
  text
    .replace(/\/\/[^/\s@]*@/g, '//…@')
    // A word without an address is taken whole, so that a long one is read once.
    .replace(/[^\s@<>"'(),:;=]+(@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})?/gi, (word, host) =>
      host ? '[e-mail]' : word,
    )
    .replace(/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, '[IBAN]')
    .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, '[token]')

/** Next prints these colours. */
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

const longest = 4_000

/**
 * `captureConsole` sends the console output of foreign code to the log, at its own level. An error among the arguments
 * becomes the line's error, by the rules for errors.
 */
export function captureConsole(log: Log): void {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (...words: unknown[]) => {
      const err = words.find((word) => word instanceof Error)
      const others = words.filter((word) => word !== err)
      const text = formatWithOptions({ colors: false, depth: 3 }, ...others)
      log[level](err ? { err } : {}, text.replace(colours, '').trim().slice(0, longest))
    }
  Object.assign(console, {
    debug: write('debug'),
    log: write('info'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    trace: write('warn'),
    dir: (word: unknown) => write('info')(inspect(word)),
  })
}
