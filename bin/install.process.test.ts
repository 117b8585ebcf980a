import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'

/** A project of its own, whose installation takes a minute: its first script says its process and waits. */
function projectWithLongInstall(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-install-'))
  const about = { name: 'slow', version: '1.0.0' }
  const lock = { ...about, lockfileVersion: 3, packages: { '': about } }
  const scripts = { preinstall: 'echo $$ > waiting && exec sleep 60' }
  fs.mkdirSync(path.join(folder, 'bin'))
  fs.copyFileSync('bin/install.mjs', path.join(folder, 'bin', 'install.mjs'))
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...about, scripts }))
  fs.writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(lock))
  return folder
}

const started: { readonly folder: string; readonly child: ChildProcess }[] = []
afterEach(() => {
  for (const { folder, child } of started.splice(0)) {
    child.kill('SIGKILL')
    fs.rmSync(folder, { recursive: true, force: true })
  }
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s while packages are installed ends npm with it',
  async (signal) => {
    const folder = projectWithLongInstall()
    const script = "import('./bin/install.mjs').then(({ install }) => install())"
    const child = spawn(process.execPath, ['-e', script], { cwd: folder, stdio: 'ignore' })
    started.push({ folder, child })
    const waiting = path.join(folder, 'waiting')
    const pid = () => Number(fs.existsSync(waiting) && fs.readFileSync(waiting, 'utf8'))
    await expect.poll(pid, { timeout: 30_000 }).toBeGreaterThan(0)
    const installing = pid()
    const ended = once(child, 'exit')
    child.kill(signal)
    expect(await ended).toEqual([1, null])
    await expect.poll(() => isRunning(installing)).toBe(false)
  },
)

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !fs.readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}
