// This file is plain JavaScript without packages, because it runs before anything is installed, on any Node from 20.9 on.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import module from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { compileAhead } from './compile-ahead.mjs'
import { install, leastToRunOn, nodeToRunOn, root } from './install.mjs'

// Node reads what is given to it after `--import` as an address, in which a # ends the place of a file.
const hooks = new URL('./hooks.mjs', import.meta.url).href

/**
 * The function installs what is locked, and then runs a program of the project in its root, under the Node that
 * `nodeToRunOn` names.
 * @param {string} file
 * @param {{ packages: 'to-run' | 'all', words?: string[], ahead?: boolean }} options `ahead` for a program that starts others
 */
export async function launch(file, { packages, words = process.argv.slice(2), ahead = false }) {
  findTemporaryFolder()
  await install(packages)
  process.chdir(root)
  // Child processes, of which the tests start many, can reuse what was compiled before.
  process.env.NODE_COMPILE_CACHE ??= path.join(root, '.next', 'cache', 'node')
  bypassProxies()
  forgetConnections()
  // Next would read a file .env into programs that have read their settings, and so into some of their processes alone.
  process.env.__NEXT_PROCESSED_ENV = 'true'
  const node = nodeToRunOn()
  if (ahead) await compileAhead(node, process.env.NODE_COMPILE_CACHE)
  // Node reads variables of its own, such as NODE_EXTRA_CA_CERTS, when a process starts, and a file of variables after that.
  const readsFile = process.execArgv.some((word) => word.startsWith('--env-file'))
  if (node === process.execPath && !readsFile) {
    // Node reads the variable only when a process starts.
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
    process.argv = [node, path.join(root, file), ...words]
    // Forked processes must load the hooks too.
    process.execArgv.push('--import', hooks)
    await import('./hooks.mjs')
    await import(`../${file}`)
    return
  }
  const child = spawn(node, ['--import', hooks, file, ...words], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(
      `${node} does not start (${error.message}). Install Node ${leastToRunOn} or newer from your system or nodejs.org.`,
    )
    process.exit(1)
  })
  // A shell gives the same code for a signal.
  child.on('exit', (code, signal) => process.exit(code ?? 128 + os.constants.signals[signal]))
}

/** Programs use the given folder for temporary files unchecked, and fail where it is missing. */
function findTemporaryFolder() {
  const { TMPDIR: given } = process.env
  if (!given || fs.statSync(given, { throwIfNoEntry: false })?.isDirectory()) return
  console.error(`TMPDIR=${given} is no folder; the system's own is used instead.`)
  delete process.env.TMPDIR
}

/** Our programs call each other on this machine, and a proxy knows another machine by these names. */
function bypassProxies() {
  const given = process.env.no_proxy ?? process.env.NO_PROXY ?? ''
  if (given.trim() === '*') return
  const all = [...given.split(/[\s,]+/), 'localhost', '.localhost', '127.0.0.1', '::1', '[::1]']
  process.env.NO_PROXY = [...new Set(all.filter(Boolean))].join(',')
  process.env.no_proxy = process.env.NO_PROXY
}

/**
 * node-postgres adds what these variables of psql say to each address that leaves it out. A shell has them for another
 * database: the embedded one speaks no TLS, and tables need their own schema.
 */
function forgetConnections() {
  const names = ['PGCLIENT_ENCODING', 'PGOPTIONS', 'PGREPLICATION', 'PGSSLMODE', 'PGSSLNEGOTIATION']
  const given = names.filter((name) => process.env[name])
  for (const name of names) delete process.env[name]
  if (given.length > 0)
    console.error(
      `Rampart does not use ${given.join(', ')}: an address such as DATABASE_URL says how to connect.`,
    )
}
