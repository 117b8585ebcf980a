import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { AlreadyRunningError, lockFolder } from './process-lock.ts'

let parent: string
let folder: string
let lock: string
beforeEach(() => {
  parent = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-lock-'))
  folder = path.join(parent, 'a')
  lock = path.join(folder, 'rampart.pid')
  fs.mkdirSync(folder)
})
afterEach(() => fs.rmSync(parent, { recursive: true }))

const words = (pid: number) => `in use by ${pid}`

test('a folder is held by one living process, also after it was moved, and a copy is held by nobody', () => {
  const unlock = lockFolder(folder, words)
  expect(() => lockFolder(folder, words)).toThrow(new AlreadyRunningError(`in use by ${process.pid}`))
  const copied = path.join(parent, 'b')
  fs.cpSync(folder, copied, { recursive: true })
  lockFolder(copied, words)()
  const moved = path.join(parent, 'c')
  fs.renameSync(folder, moved)
  expect(() => lockFolder(moved, words)).toThrow(AlreadyRunningError)
  fs.renameSync(moved, folder)
  unlock()
  expect(fs.readdirSync(folder)).toEqual([])
})

test('the lock of an older version counts while its process lives', () => {
  const unlock = lockFolder(folder, words)
  const [pid, started] = fs.readFileSync(lock, 'utf8').split(' ')
  unlock()
  fs.writeFileSync(lock, `${pid} ${started}`)
  expect(() => lockFolder(folder, words)).toThrow(AlreadyRunningError)
})

test.each(['', '999999999 1', `${process.pid} 1`, `${process.pid} 1 1:1`])(
  'a lock that nobody living wrote (“%s”) is taken over',
  (text) => {
    fs.writeFileSync(lock, text)
    lockFolder(folder, words)()
    expect(fs.readdirSync(folder)).toEqual([])
  },
)

/** The lock is that of a process in another container, which nobody here can see. */
function lockElsewhere(of: string): string {
  const unlock = lockFolder(of, words)
  const file = path.join(of, 'rampart.pid')
  const [, , id, space = ''] = fs.readFileSync(file, 'utf8').split(' ')
  unlock()
  fs.writeFileSync(file, `7 1 ${id} ${space.replace(/\[\d+\]/, '[1]')}`)
  return file
}

test.runIf(process.platform === 'linux')(
  'a folder is held by a process of another container as long as that touches its lock',
  async () => {
    const holder = spawn('sh', ['-c', `while touch '${lockElsewhere(folder)}'; do sleep 1; done`])
    try {
      for (let tries = 0; tries < 2; tries++)
        expect(() => lockFolder(folder, words)).toThrow(new AlreadyRunningError('in use by 7'))
    } finally {
      holder.kill()
      await once(holder, 'exit')
    }
    const other = path.join(parent, 'other')
    fs.mkdirSync(other)
    lockElsewhere(other)
    const began = performance.now()
    const unlock = lockFolder(folder, words)
    const waited = performance.now() - began
    expect(waited).toBeGreaterThan(9_000)
    // The wait counts for each folder that the same process held.
    const unlockOther = lockFolder(other, words)
    expect(performance.now() - began - waited).toBeLessThan(1_000)
    const before = fs.statSync(lock).mtimeMs
    await expect.poll(() => fs.statSync(lock).mtimeMs).toBeGreaterThan(before)
    unlock()
    unlockOther()
  },
)

test('of several processes that find a dead lock at the same moment one gets the folder', async () => {
  const folders = Array.from({ length: 40 }, (_, n) => path.join(parent, String(n)))
  for (const one of folders) {
    fs.mkdirSync(one)
    fs.writeFileSync(path.join(one, 'rampart.pid'), '999999999 1 1:1')
  }
  const contenders = Array.from({ length: 4 }, () => contend(folders))
  await Promise.all(contenders.map(({ up }) => up))
  fs.writeFileSync(path.join(parent, 'go'), '')
  const got = await Promise.all(contenders.map(({ locked }) => locked))
  for (const { end } of contenders) end()
  expect(got.flat().toSorted()).toEqual(folders.toSorted())
})

/** The process tries each of these folders as soon as the file `go` exists, and keeps what it got until `end`. */
function contend(folders: readonly string[]) {
  const program = `
    const { existsSync } = await import('node:fs')
    const { AlreadyRunningError, lockFolder } = await import('./bin/process-lock.ts')
    console.log('up')
    while (!existsSync(${JSON.stringify(path.join(parent, 'go'))}));
    console.log(JSON.stringify(${JSON.stringify(folders)}.filter((folder) => {
      try {
        return lockFolder(folder, () => '')
      } catch (error) {
        if (error instanceof AlreadyRunningError) return false
        throw error
      }
    })))
    process.stdin.resume()`
  const child = spawn(
    process.execPath,
    ['--import', './bin/hooks.mjs', '--input-type=module', '--eval', program],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => z.string().parse((await lines.next()).value)
  const up = next()
  return {
    up,
    locked: up.then(next).then((line) => z.array(z.string()).parse(JSON.parse(line))),
    end: () => child.stdin.end(),
  }
}
