import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { variablesFor } from '../lib/platform/env.ts'
import { OperatorError } from '../lib/platform/operator-error.ts'
import { ownLogVariable } from './keep-log-small.ts'

export interface Child {
  readonly name: string
  /** The exit code, or the signal's name. */
  readonly gone: Promise<string>
  stop(): Promise<void>
}

const preloaded = ['./bin/hooks.mjs', './bin/keep-own-log-small.ts'].flatMap((file) => ['--import', file])

/** Its line says what was wrong, in words for people. */
export class StartError extends OperatorError {}

const MessageSchema = z.union([
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('alive') }),
  z.object({ kind: z.literal('warned'), line: z.string() }),
  z.object({ kind: z.literal('failed'), line: z.string() }),
])

export interface ChildOptions {
  readonly variables: Record<string, string>
  /** The folder of its log. */
  readonly logs: string
  /** For Node. */
  readonly flags?: readonly string[]
  /** Ends it while it is starting, however long that takes. */
  readonly signal?: AbortSignal
  /** Milliseconds without a word, once it is ready, after which it is ended: it says again and again that it lives. */
  readonly silence?: number
}

/**
 * Starts one of our own programs and waits until it says that it is ready. It ends by itself when this
 * process dies, because its channel to us closes. What it prints goes to `logs/NAME.log`, what it warns of to our terminal.
 */
export async function startChild(
  name: string,
  file: string,
  { variables, logs, flags = [], signal, silence }: ChildOptions,
): Promise<Child> {
  const log = path.join(logs, `${name}.log`)
  // For appending: the program itself cuts it off from time to time.
  const output = fs.openSync(log, 'a', 0o600)
  const all = { ...process.env, ...variables }
  const environment = file === 'projector.ts' ? variablesFor('projector', all) : all
  const child = spawn(process.execPath, [...preloaded, ...flags, file], {
    env: { ...environment, [ownLogVariable]: log },
    stdio: ['ignore', output, output, 'ipc'],
    // Ctrl-C in a terminal reaches the whole group; only the supervisor shall act on it.
    detached: true,
  })
  fs.closeSync(output)
  const end = () => child.kill('SIGTERM')
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end)
  const gone = new Promise<string>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? String(code))),
  )
  await ready(name, child, gone, log).finally(() => signal?.removeEventListener('abort', end))
  if (silence !== undefined) endWhenSilent(child, silence)
  return {
    name,
    gone,
    stop: async () => {
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 12_000)
      await gone
      clearTimeout(late)
    },
  }
}

function ready(name: string, child: ChildProcess, gone: Promise<string>, log: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (received) => {
      const message = MessageSchema.safeParse(received).data
      if (message?.kind === 'ready') resolve()
      if (message?.kind === 'warned') console.error(message.line)
      if (message?.kind === 'failed') reject(new StartError(message.line))
    })
    gone.then((how) => reject(new StartError(`The ${name} ended while starting (${how}); see ${log}`)))
  })
}

function endWhenSilent(child: ChildProcess, silence: number) {
  let heardAt = Date.now()
  child.on('message', () => {
    heardAt = Date.now()
  })
  const timer = setInterval(() => {
    if (Date.now() - heardAt > silence) child.kill('SIGKILL')
  }, silence / 4)
  child.once('exit', () => clearInterval(timer))
}

/** Milliseconds without a sign of life after which a process is ended and started again. */
const silenceMs = 30_000

/**
 * Milliseconds before a process that ended is restarted: doubled each time, reset when it has run for a
 * while.
 */
const minPauseMs = 500
const maxPauseMs = 30_000

/**
 * Runs one of our processes, and starts it again whenever it ends or falls silent: what the service could not deliver meanwhile
 * it sends again, and what was stored waits to be folded. Throws when the first start fails.
 */
export async function keepProcess(
  name: string,
  file: string,
  options: ChildOptions,
): Promise<{ restart(): Promise<void>; stop(): Promise<void> }> {
  const launch = () => startChild(name, file, { silence: silenceMs, ...options })
  let stopping = false
  let child = await launch()
  let pause = minPauseMs
  let waiting: NodeJS.Timeout | undefined
  let starting: Promise<void> | undefined

  function guard(one: Child) {
    const began = Date.now()
    void one.gone.then((how) => {
      if (stopping || one !== child) return
      pause = Date.now() - began > maxPauseMs ? minPauseMs : Math.min(maxPauseMs, pause * 2)
      console.error(`The ${name} ended (${how}) and is started again; logs/${name}.log says why.`)
      waiting = setTimeout(revive, pause)
    })
  }

  function revive() {
    starting = launch()
      .then((next) => {
        child = next
        guard(next)
      })
      .catch((error: unknown) => {
        if (stopping) return
        console.error(error instanceof Error ? error.message : error)
        pause = Math.min(maxPauseMs, pause * 2)
        waiting = setTimeout(revive, pause)
      })
  }

  guard(child)
  return {
    /** For a change of the source while developing. */
    async restart() {
      const last = child
      child = { ...last }
      await last.stop()
      revive()
      await starting
    },
    async stop() {
      stopping = true
      clearTimeout(waiting)
      await starting
      await child.stop()
    },
  }
}
