import { formatWithOptions, inspect } from 'node:util'
import type { Log } from './create-log.ts'

/** What Next prints in colours. */
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

const longest = 4_000

/**
 * From here on, what other people's code prints by `console` goes into the log, at the level that it has there. An error
 * among the words becomes the line's error, by the rules for errors.
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
