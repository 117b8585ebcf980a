import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { endInOrder, startRampart } from '../../bench/installation/installation.ts'
import { childOf } from '../faults/processes.ts'
import { sleep } from '../faults/test-bed.ts'

/** The name is that of a process of a replica, or `all` of them at once. */
export type Part = 'server.ts' | 'live.ts' | 'projector.ts' | 'all'

const mostStarts = 3

/** The supervisor must have everything running again within this many milliseconds. */
const patienceMs = 120_000

/** A replica is one group of processes as `npm start` keeps it, with a port of its own. */
export class Replica {
  readonly name: string
  readonly port: number
  readonly #variables: Readonly<Record<string, string>>
  #tree = process.cwd()
  #child: ChildProcess | undefined

  constructor(number: number, port: number, variables: Readonly<Record<string, string>>) {
    this.name = `replica ${number}`
    this.port = port
    this.#variables = { ...variables, PORT: String(port) }
  }

  /** A start that fails, as on a machine that others use too, is repeated, as systemd does. */
  async start(): Promise<void> {
    for (let left = mostStarts; ; left--) {
      try {
        this.#child = await startRampart(this.#variables, this.#tree)
        return
      } catch (error) {
        if (left === 1) throw error
        console.log(`${this.name} did not start, and is started again`)
      }
    }
  }

  async stop(): Promise<void> {
    await endInOrder(this.#child)
  }

  /** @param tree the version of this folder starts, and the same version by default */
  async restart(tree = this.#tree): Promise<void> {
    await this.stop()
    this.#tree = tree
    await this.start()
  }

  /** The part is killed with SIGKILL. The promise settles when it runs again. */
  async kill(part: Part): Promise<void> {
    if (part === 'all') {
      const child = this.#child
      const gone = child && once(child, 'exit')
      child?.kill('SIGKILL')
      await gone
      return this.start()
    }
    const pid = this.#pidOf(part)
    process.kill(pid, 'SIGKILL')
    const until = performance.now() + patienceMs
    while (!(await this.#runsAgain(part, pid))) {
      if (performance.now() > until) throw new Error(`${part} of ${this.name} did not start again`)
      await sleep(200)
    }
  }

  /** Nobody waits for the end. */
  leave(): void {
    this.#child?.kill('SIGTERM')
  }

  async #runsAgain(part: Exclude<Part, 'all'>, before: number): Promise<boolean> {
    try {
      if (this.#pidOf(part) === before) return false
    } catch {
      return false
    }
    if (part !== 'server.ts') return true
    return fetch(`http://127.0.0.1:${this.port}/icon.svg`, { method: 'HEAD' }).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  #pidOf(part: Exclude<Part, 'all'>): number {
    const supervisor = this.#child?.pid ?? 0
    return part === 'live.ts' ? childOf(childOf(supervisor, 'server.ts'), part) : childOf(supervisor, part)
  }
}
