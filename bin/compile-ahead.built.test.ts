import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { childrenOf, isRunning } from '../proofs/prove/faults/process.ts'
import { compileAhead } from './compile-ahead.mjs'

const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-compiled-'))
afterAll(() => fs.rmSync(cache, { recursive: true }))

/** The result is what a process of ours prints that has loaded the projector and zod. */
const printed = (expression: string) =>
  execFileSync(
    process.execPath,
    [
      ...['--import', './bin/hooks.mjs', '--input-type=module', '--eval'],
      `import './lib/timeline/projector/projector.ts'; import { z } from 'zod'; console.log(${expression}); process.exit()`,
    ],
    { encoding: 'utf8', env: { NODE_ENV: 'production', PATH: process.env.PATH, NODE_COMPILE_CACHE: cache } },
  ).trim()

const compilerIsLoaded = () => printed('process.moduleLoadList.some((name) => name.includes("amaro"))')

test('a process loads no compiler of TypeScript once the cache was filled, which happens once', async () => {
  // The first process cannot find anything in the cache.
  expect(compilerIsLoaded()).toBe('true')
  fs.rmSync(cache, { recursive: true })
  await compileAhead(process.execPath, cache)
  expect(compilerIsLoaded()).toBe('false')
  const mark = () => fs.statSync(fs.globSync(`${cache}/compiled-*`)[0] ?? '').mtimeMs
  const before = mark()
  await compileAhead(process.execPath, cache)
  expect(mark()).toBe(before)
})

test('a start goes on where the cache cannot be written', async () => {
  await expect(compileAhead(process.execPath, '/dev/null/cache')).resolves.toBeUndefined()
})

test('a start that is ended meanwhile leaves nothing running', async () => {
  const folder = path.join(cache, 'ended')
  const start = `import('./bin/compile-ahead.mjs').then((one) => one.compileAhead(process.execPath, ${JSON.stringify(folder)}))`
  const child = spawn(process.execPath, ['-e', start], { stdio: 'ignore' })
  const pid = child.pid ?? 0
  await expect.poll(() => childrenOf(pid).filter(({ words }) => words.includes('--eval'))).toHaveLength(1)
  const compiler = childrenOf(pid)[0]?.pid ?? 0
  // It would soon end by itself.
  process.kill(compiler, 'SIGSTOP')
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  await expect.poll(() => isRunning(compiler)).toBe(false)
})

test('zod loads English alone', () => {
  expect(printed('Object.keys(z.locales).length, z.string().safeParse(1).error.message')).toMatch(
    /^0 .*expected string, received number/s,
  )
})
