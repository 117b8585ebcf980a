// Plain JavaScript without packages: it runs before anything is installed, on any Node from 20.9 on.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { install, nodeToRunOn, root } from './install.mjs'

const hooks = path.join(root, 'bin', 'hooks.mjs')

/**
 * Runs a program of the project in its root, after it has installed what is locked, under Node 24 or newer.
 * @param {string} file
 * @param {{ packages: 'to-run' | 'all', words?: string[] }} options
 */
export async function launch(file, { packages, words = process.argv.slice(2) }) {
  findTemporaryFolder()
  await install(packages)
  process.chdir(root)
  // Whatever it starts, and that is a lot in the tests, need not compile again what was compiled before.
  process.env.NODE_COMPILE_CACHE ??= path.join(root, '.next', 'cache', 'node')
  bypassProxies()
  const node = nodeToRunOn()
  if (node === process.execPath) {
    process.argv = [node, path.join(root, file), ...words]
    // What it forks is to know the hooks too.
    process.execArgv.push('--import', hooks)
    await import('./hooks.mjs')
    await import(`../${file}`)
    return
  }
  const child = spawn(node, ['--import', hooks, file, ...words], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(
      `${node} does not start (${error.message}). Install Node 24 or newer from your system or nodejs.org.`,
    )
    process.exit(1)
  })
  child.on('exit', (code) => process.exit(code ?? 1))
}

/** Programs that are given a folder for temporary files take it as it is, and fail where it is missing. */
function findTemporaryFolder() {
  const { TMPDIR: given } = process.env
  if (!given || fs.statSync(given, { throwIfNoEntry: false })?.isDirectory()) return
  console.error(`TMPDIR=${given} is no folder; the system's own is used instead.`)
  delete process.env.TMPDIR
}

/** Our programs call each other on this machine, and a proxy knows another one by these names. */
function bypassProxies() {
  const given = process.env.no_proxy ?? process.env.NO_PROXY ?? ''
  if (given.trim() === '*') return
  const all = [...given.split(/[\s,]+/), 'localhost', '.localhost', '127.0.0.1', '::1', '[::1]']
  process.env.NO_PROXY = [...new Set(all.filter(Boolean))].join(',')
  process.env.no_proxy = process.env.NO_PROXY
}
