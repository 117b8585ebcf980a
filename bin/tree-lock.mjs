// This file is plain JavaScript without packages, because it runs before anything is installed, on any Node from 20.9 on.
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
// Containers that share a network share one space of names, and all may be at `/app`.
const { dev, ino } = fs.statSync(root)
const digest = crypto.createHash('sha256').update(`${root} ${dev} ${ino}`).digest('hex').slice(0, 24)
const name = `rampart-${digest}`
/** Linux has names without a file, which the system frees when the last holder has ended in any way. */
const address = process.platform === 'linux' ? `\0${name}` : path.join(os.tmpdir(), `${name}.sock`)

/**
 * `work` runs once no other command installs or builds in this tree. A command that has to wait prints a line.
 * @template T
 * @param {{ say: (line: string) => void, signal?: AbortSignal }} options
 * @param {(lock: number, others: () => Promise<boolean>) => Promise<T>} work gets the lock as an open file, which a child
 * that inherits it holds too, even when this process is killed and the child is not; and a function that waits for a
 * person who installs here by hand, and answers if anybody did.
 * @returns {Promise<T>}
 */
export async function aloneInTree({ say, signal }, work) {
  let said = false
  const pause = async () => {
    if (!said) say('Another command installs or builds in this folder; this one goes on when it has ended.')
    said = true
    await sleep(200, undefined, { signal })
  }
  const others = async () => {
    const any = isInstalledByHand()
    while (isInstalledByHand()) await pause()
    return any
  }
  let lock = await tryToLock()
  while (!lock) {
    await pause()
    lock = await tryToLock()
  }
  try {
    await others()
    return await work(lock._handle.fd, others)
  } finally {
    lock.close()
  }
}

const installs =
  /(^|[ /])((npm|pnpm|yarn|bun)(-cli)?(\.c?js)? (ci|clean-install|it?|in|ins|inst|install|install-\w+|add|up|update|un|uninstall|rm|remove|prune|dedupe)\b|yarn(\.c?js)?$)/

/** The answer is true when a package manager works in this tree by hand, without the lock. Only Linux can show that. */
function isInstalledByHand() {
  if (process.platform !== 'linux') return false
  const here = fs.realpathSync(root)
  return fs.readdirSync('/proc').some((pid) => {
    try {
      const isHere = /^\d+$/.test(pid) && fs.readlinkSync(`/proc/${pid}/cwd`) === here
      return (
        isHere && installs.test(fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+/g, ' ').trim())
      )
    } catch {
      // The process has ended, or belongs to somebody else.
      return false
    }
  })
}

/** A listening socket is a lock, because the system gives it to one process at a time. */
async function tryToLock() {
  const server = net.createServer((socket) => socket.destroy()).listen(address)
  try {
    await once(server, 'listening')
    return server
  } catch (error) {
    if (error.code !== 'EADDRINUSE') throw error
    if (process.platform !== 'linux' && !(await isHeld())) fs.rmSync(address, { force: true })
    return undefined
  }
}

/** Other systems keep the file of a killed holder. */
async function isHeld() {
  const socket = net.connect(address)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
