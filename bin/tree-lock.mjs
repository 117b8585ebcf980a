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
  let waits
  const pause = async (other) => {
    if (!waits) say('Another command installs or builds in this folder; this one goes on when it has ended.')
    waits ??= { since: performance.now(), named: false }
    if (other && !waits.named && performance.now() - waits.since > 60_000) {
      say(`It still waits for process ${other.pid}: ${other.command}`)
      waits.named = true
    }
    await sleep(200, undefined, { signal })
  }
  const others = async () => {
    let any = false
    for (let other = findNpmByHand(); other; other = findNpmByHand()) {
      any = true
      await pause(other)
    }
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

const manager = /^(npm|pnpm|yarn|bun)(-cli)?(\.c?js)?$/
const installs =
  /^(ci|clean-install|it?|in|ins|inst|install|install-\w+|add|up|update|un|uninstall|rm|remove|prune|dedupe)$/

/** The words are those of a package manager that changes packages. npm makes one word of its own, as its title. */
function changesPackages([program, ...words]) {
  if (/^(npm|pnpm|yarn|bun) /.test(program)) return changesPackages(program.split(' '))
  const name = path.basename(program)
  if (/^node(js)?$/.test(name) && words.length > 0) return changesPackages(words)
  return manager.test(name) && (words.length > 0 ? installs.test(words[0]) : name.startsWith('yarn'))
}

/**
 * The result is a package manager that works in this tree by hand, without the lock. One that started this process waits for
 * it instead. Only Linux can show that.
 */
function findNpmByHand() {
  if (process.platform !== 'linux') return undefined
  const here = fs.realpathSync(root)
  const above = ancestors()
  for (const pid of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || above.has(pid)) continue
    try {
      if (fs.readlinkSync(`/proc/${pid}/cwd`) !== here) continue
      const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '').split('\0')
      if (changesPackages(words)) return { pid, command: words.join(' ') }
    } catch {
      // The process has ended, or belongs to somebody else.
    }
  }
  return undefined
}

/** The set has the ids of the processes that this one descends from, and its own. */
function ancestors() {
  const found = new Set()
  for (let pid = String(process.pid); Number(pid) > 0 && !found.has(pid); ) {
    found.add(pid)
    try {
      pid = /^PPid:\t(\d+)$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'
    } catch {
      return found
    }
  }
  return found
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
