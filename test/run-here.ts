import { vi } from 'vitest'
import { redirectLog } from '#lib/platform/log/create-log.ts'
import { logOf } from '#lib/platform/log.ts'
import { runWords } from '../bin/rampart/run-words.ts'

/**
 * A command of `npm run rampart` runs within this process, with these variables and none of ours, because a start costs more than most commands.
 * One runs at a time. The result is that of a process.
 */
export async function runHere(
  words: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
) {
  const said = { out: '', err: '', output: '' }
  const hear = (name: 'out' | 'err') => (text: unknown) => {
    said[name] += text
    said.output += text
    return true
  }
  const [out, err] = [hear('out'), hear('err')]
  const heard = [
    vi.spyOn(console, 'log').mockImplementation((...texts) => void out(`${texts.join(' ')}\n`)),
    vi.spyOn(console, 'error').mockImplementation((...texts) => void err(`${texts.join(' ')}\n`)),
    vi.spyOn(process.stdout, 'write').mockImplementation(out),
    vi.spyOn(process.stderr, 'write').mockImplementation(err),
  ]
  // Modules that a command loads keep their log after it, so the log has our level, and this process drops its lines.
  logOf('command')
  const writeToLog = (line: string) => void (process.env.RAMPART_LOG_LEVEL === 'silent' || out(line))
  const ours = { env: process.env, globals: takeGlobals(), log: redirectLog(writeToLog) }
  const listening = signals.map((signal) => process.listeners(signal))
  process.env = { NODE_ENV: 'production', PATH: process.env.PATH, ...variables }
  try {
    return { code: await runWords([...words]), ...said }
  } finally {
    process.env = ours.env
    takeGlobals()
    Object.assign(globalThis, ours.globals)
    ours.log()
    for (const one of heard) one.mockRestore()
    for (const [i, signal] of signals.entries())
      for (const listener of process.listeners(signal))
        if (!listening[i]?.includes(listener)) process.off(signal, listener)
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The settings and other state of a process are in these. */
function takeGlobals() {
  const taken = Object.entries(globalThis).filter(
    ([name]) => name.startsWith('rampart') && name !== 'rampartLog',
  )
  for (const [name] of taken) Reflect.deleteProperty(globalThis, name)
  return Object.fromEntries(taken)
}
