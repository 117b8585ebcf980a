import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isRunning } from '../../prove/faults/process.ts'

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a process of a benchmark ends when %s ends the benchmark',
  async (signal) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-fork-'))
    const waiting = path.join(folder, 'waiting.mjs')
    fs.writeFileSync(
      waiting,
      'process.stdout.write(String(process.pid))\nsetInterval(() => undefined, 60_000)\n',
    )
    const [hooks, processes] = ['bin/hooks.mjs', 'proofs/bench/processes/processes.ts'].map((file) =>
      path.resolve(file),
    )
    const program = `import { forkChild } from ${JSON.stringify(processes)}\nforkChild(${JSON.stringify(waiting)}, [])`
    const bench = spawn(
      process.execPath,
      ['--import', String(hooks), '--input-type=module', '--eval', program],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const [pid] = await once(bench.stdout, 'data')
    bench.kill(signal)
    await expect.poll(() => isRunning(Number(pid))).toBe(false)
    fs.rmSync(folder, { recursive: true })
  },
)
