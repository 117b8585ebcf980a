import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'

/** Starts a file of this project as a process of its own. */
export const forkChild = (file: string, words: readonly string[]): ChildProcess =>
  fork(file, [...words], { execArgv: ['--import', path.join(import.meta.dirname, '../../../bin/hooks.mjs')] })

/** The next message of a process, which must not end before. */
export const nextMessage = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`A process of the benchmark ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(String(message))
    })
  })

export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exited
}
