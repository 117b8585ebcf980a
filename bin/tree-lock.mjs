// Plain JavaScript without packages: it runs before anything is installed, on any Node from 20.9 on.
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
// Containers that share a network have one space of names, and may all be at `/app`.
const { dev, ino } = fs.statSync(root)
const digest = crypto.createHash('sha256').update(`${root} ${dev} ${ino}`).digest('hex').slice(0, 24)
const name = `rampart-${digest}`
/** On Linux a name without a file. The system frees it when its last holder has ended, however that ended. */
const address = process.platform === 'linux' ? `\0${name}` : path.join(os.tmpdir(), `${name}.sock`)

/**
 * Calls `work` once no other command installs or builds in this tree; a command that has to wait says so in a line.
 * @template T
 * @param {{ say: (line: string) => void, signal?: AbortSignal }} options
 * @param {(lock: number, others: () => Promise<boolean>) => Promise<T>} work gets the lock as an open file, which a child
 *   that inherits it holds too, even when this process is killed and the child is not; and a function that waits for
 *   whoever installs here by hand, and answers whether anybody did.
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

/** Answers whether a package manager that somebody called works in this tree, which asks for no lock. Nobody can say elsewhere than on Linux. */
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
      // It has ended, or is somebody else's.
      return false
    }
  })
}

/** A listening socket: the system lets one process at a time have it. */
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

/** Elsewhere than on Linux the file of a killed holder stays. */
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
