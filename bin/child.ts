import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { variablesFor } from '../lib/platform/env/parts.ts'
import { OperatorError } from '../lib/platform/operator-error.ts'
import { watchSilence } from '../lib/platform/watch-silence.ts'
import { ownLogVariable } from './keep-log-small.ts'

export interface Child {
  readonly name: string
  /** The promise settles with the exit code, the signal's name, or why the program could not be started. */
  readonly gone: Promise<string>
  /** The program gets this message, unless it has just ended. */
  tell(message: object): void
  stop(): Promise<void>
}

const preloaded = ['./bin/hooks.mjs', './bin/keep-own-log-small.ts'].flatMap((file) => ['--import', file])

/** The program migrates the database and keeps the months of the delivery log. */
export const maintenance = 'bin/maintain.ts'

/** The line tells people what was wrong. */
export class StartError extends OperatorError {}

const MessageSchema = z.union([
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('alive') }),
  z.object({ kind: z.literal('warned'), line: z.string() }),
  z.object({ kind: z.literal('failed'), line: z.string() }),
  z.object({ kind: z.literal('metrics'), metrics: z.unknown() }),
])

export interface ChildOptions {
  readonly variables: Record<string, string>
  /** The folder contains the program's log; null for our own standard output. */
  readonly logs: string | null
  /** The flags are for Node. */
  readonly flags?: readonly string[]
  /** The words follow the program's file on its command line. */
  readonly words?: readonly string[]
  /** The signal ends the program while it starts, however long that takes. */
  readonly signal?: AbortSignal
  /**
   * A program reports repeatedly that it lives. It is ended after this many milliseconds without a report, once it is ready.
   */
  readonly silence?: number
  /** The program reports from time to time what it has measured. */
  readonly onMetrics?: (metrics: unknown) => void
}

/**
 * The function starts one of our programs and waits until it is ready. The program ends when this process dies, because its
 * channel closes. Its output goes to `logs/NAME.log` or our own, and its warnings to our terminal.
 */
export async function startChild(
  name: string,
  file: string,
  { variables, logs, flags = [], words = [], signal, silence, onMetrics }: ChildOptions,
): Promise<Child> {
  const log = logs === null ? null : path.join(logs, `${name}.log`)
  // The log is opened for appending, because the program itself cuts it off from time to time.
  const output = log === null ? null : fs.openSync(log, 'a', 0o600)
  const child = spawn(process.execPath, [...preloaded, ...flags, file, ...words], {
    env: {
      ...environmentOf(file, { ...process.env, ...variables }),
      ...(log === null ? {} : { [ownLogVariable]: log }),
    },
    stdio: ['ignore', output ?? 'inherit', output ?? 'inherit', 'ipc'],
    // Ctrl-C in a terminal reaches the whole group, and only the supervisor may act on it.
    detached: true,
  })
  if (output !== null) fs.closeSync(output)
  const end = () => child.kill('SIGTERM')
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end)
  const gone = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? String(code)))
    // A program that cannot be started has no exit, for example where an upgrade has just removed its Node.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(error.message)
    })
  })
  await ready(name, child, gone, log, onMetrics).finally(() => signal?.removeEventListener('abort', end))
  if (silence !== undefined) endWhenSilent(child, silence)
  return {
    name,
    gone,
    tell: (message) => {
      if (child.connected) child.send(message, leaveToExit)
    },
    stop: async () => {
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 12_000)
      await gone
      clearTimeout(late)
    },
  }
}

/** A send fails only when the program has just ended. */
const leaveToExit = () => undefined

/** The password of the tables' owner reaches the program that maintains them, and no program that answers requests. */
function environmentOf(file: string, all: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (file === maintenance) return variablesFor('maintenance', all)
  if (file === 'projector.ts') return variablesFor('projector', all)
  const { DATABASE_MIGRATE_URL: _, ...others } = all
  return others
}

/** The program's messages are read from now on; the result waits for the one that says that it is ready. */
function ready(
  name: string,
  child: ChildProcess,
  gone: Promise<string>,
  log: string | null,
  onMetrics: ChildOptions['onMetrics'],
): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (received) => {
      const message = MessageSchema.safeParse(received).data
      if (message?.kind === 'ready') resolve()
      if (message?.kind === 'warned') console.error(message.line)
      if (message?.kind === 'failed') reject(new StartError(message.line))
      if (message?.kind === 'metrics') onMetrics?.(message.metrics)
    })
    gone.then((how) =>
      reject(new StartError(`The ${name} ended while starting (${how}); see ${log ?? 'above'}`)),
    )
  })
}

function endWhenSilent(child: ChildProcess, silence: number) {
  const watch = watchSilence(
    silence / 4,
    () => silence,
    () => child.kill('SIGKILL'),
  )
  child.on('message', watch.hear)
  child.once('exit', watch.stop)
}

/** A process is ended and started again after this many milliseconds without a sign of life. */
const silenceMs = 30_000

/**
 * A process that ended is restarted after this pause in milliseconds. The pause doubles each time, and is reset when the
 * process has run for a while.
 */
const minPauseMs = 500
const maxPauseMs = 30_000

/**
 * The function runs one of our processes, and starts it again whenever it ends or hangs. The service resends what it could
 * not deliver meanwhile, and stored deliveries wait to be folded. The function throws when the first start fails.
 */
export async function keepProcess(
  name: string,
  file: string,
  options: ChildOptions,
): Promise<{ tell(message: object): void; restart(): Promise<void>; stop(): Promise<void> }> {
  const launch = () => startChild(name, file, { silence: silenceMs, ...options })
  let stopping = false
  let child = await launch()
  let pause = minPauseMs
  let waiting: NodeJS.Timeout | undefined
  let starting: Promise<void> | undefined

  function guard(one: Child) {
    const began = performance.now()
    void one.gone.then((how) => {
      if (stopping || one !== child) return
      pause = performance.now() - began > maxPauseMs ? minPauseMs : Math.min(maxPauseMs, pause * 2)
      console.error(
        `The ${name} ended (${how}) and is started again; ${options.logs === null ? 'its log' : `logs/${name}.log`} says why.`,
      )
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
    tell: (message) => child.tell(message),
    /** A change of the source restarts the process in development. */
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
