// Plain JavaScript without packages: it runs before anything is installed, on any Node from 20 on.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

export const root = path.dirname(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname))

const lockOfInstalled = path.join(root, 'node_modules', '.package-lock.json')

/** Installs exactly the locked packages when they are not the ones installed; exits with one line when it cannot. */
export async function install() {
  if (Number(process.versions.node.split('.')[0]) < 20)
    stop(
      `Rampart needs Node 20 or newer to start; this is Node ${process.versions.node}. Install a newer one from your system or nodejs.org.`,
    )
  if (isInstalled()) return
  console.log('Installing the locked packages; this takes about a minute.')
  const how = await runNpm()
  if (how !== 0)
    stop(
      `The packages could not be installed (npm ci ended with ${how}). Check the network, then start again.`,
    )
}

/** The exit code, or why it did not start. A signal ends npm first, or it would go on beside the next start. */
function runNpm() {
  const npm = spawn('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const end = () => endInstall(npm)
  for (const signal of signals) process.on(signal, end)
  return new Promise((resolve) => {
    npm.once('error', (error) => resolve(error.message))
    npm.once('exit', (code, signal) => resolve(code ?? signal))
  }).finally(() => {
    for (const signal of signals) process.off(signal, end)
  })
}

/** With all that npm has started. What was installed so far does not count as installed. */
function endInstall(npm) {
  try {
    process.kill(-npm.pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
  fs.rmSync(lockOfInstalled, { force: true })
  process.exit(1)
}

/** npm writes a lock file of what it installed into node_modules when it has finished. */
function isInstalled() {
  if (!fs.existsSync(lockOfInstalled)) return false
  const wanted = packagesOf(path.join(root, 'package-lock.json'))
  const present = packagesOf(lockOfInstalled)
  // Optional packages are there only on the platforms they are for.
  return Object.entries(wanted).every(
    ([name, { integrity, optional }]) =>
      name === '' || (name in present ? present[name].integrity === integrity : Boolean(optional)),
  )
}

const packagesOf = (file) => JSON.parse(fs.readFileSync(file, 'utf8')).packages

/** The Node the project brings; exits with one line where there is none and this one is too old. */
export function pinnedNode() {
  const file = path.join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (fs.existsSync(file)) return file
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  return stop(
    `Rampart brings its own Node 24 for Linux only; here it needs Node 24 installed, and this is ${process.versions.node}.`,
  )
}

function stop(line) {
  console.error(line)
  process.exit(1)
}
