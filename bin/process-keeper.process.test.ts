import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepProcess, maintenance, startChild } from './child.ts'

const silence = 2_000

/** The program prints its id, reports that it is ready, and then repeatedly that it lives. */
const program = `
  console.log(process.pid)
  process.on('disconnect', () => process.exit())
  process.on('SIGTERM', () => process.exit())
  process.send({ kind: 'ready' })
  setInterval(() => process.send({ kind: 'alive' }), ${silence / 20})`

let folder: string
let keeper: Awaited<ReturnType<typeof keepProcess>>

beforeEach(async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-keeper-'))
  const file = path.join(folder, 'program.mjs')
  fs.writeFileSync(file, program)
  keeper = await keepProcess('kept', file, { variables: {}, logs: folder, silence })
})
afterEach(async () => {
  await keeper.stop()
  expect(started().filter(isRunning)).toEqual([])
  fs.rmSync(folder, { recursive: true })
  vi.restoreAllMocks()
})

/** The list has the ids of all started processes, the latest last. */
const started = () =>
  fs.readFileSync(path.join(folder, 'kept.log'), 'utf8').trim().split('\n').filter(Boolean).map(Number)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}

async function another(first: number) {
  await expect.poll(() => started().length).toBe(2)
  expect(isRunning(first)).toBe(false)
  expect(started().filter(isRunning)).toEqual([started()[1]])
}

test('starts a process again that was killed', async () => {
  const [first = 0] = started()
  process.kill(first, 'SIGKILL')
  await another(first)
})

test('ends a process that is stuck, and starts it again', async () => {
  const [first = 0] = started()
  process.kill(first, 'SIGSTOP')
  await another(first)
})

test('leaves a process alone when the clock is set forward', async () => {
  const now = Date.now.bind(Date)
  let hours = 0
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + ++hours * 3_600_000)
  await sleep(silence)
  clock.mockRestore()
  expect(started().filter(isRunning)).toHaveLength(1)
  expect(started()).toHaveLength(1)
})

test('leaves a process alone when it was this one that stood still', async () => {
  // Timers come right after immediates, before the messages of meanwhile.
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * silence)
      resolve()
    })
  })
  await sleep(silence)
  expect(started().filter(isRunning)).toHaveLength(1)
  expect(started()).toHaveLength(1)
})

test('leaves a process alone that says that it lives', async () => {
  await sleep(2 * silence)
  expect(started().filter(isRunning)).toEqual(started())
  expect(started()).toHaveLength(1)
})

test.each(['migrate', 'months'])(
  'says of settings that %s cannot use what is wrong with them',
  async (work) => {
    const variables = { DATABASE_URL: 'postgresql://localhost/x', PUBLIC_URL: 'http://localhost:3000' }
    const wrong = { ...variables, DATABASE_CONNECTIONS: '3' }
    await expect(
      startChild('maintenance', maintenance, { variables: wrong, logs: folder, words: [work] }),
    ).rejects.toThrow(/^DATABASE_CONNECTIONS must be .* Example: DATABASE_CONNECTIONS=\d+$/)
  },
)
