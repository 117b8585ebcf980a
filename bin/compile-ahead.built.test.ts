import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
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

test('a process loads no compiler of TypeScript once the cache was filled, which happens once', () => {
  // The first process cannot find anything in the cache.
  expect(compilerIsLoaded()).toBe('true')
  fs.rmSync(cache, { recursive: true })
  compileAhead(process.execPath, cache)
  expect(compilerIsLoaded()).toBe('false')
  const mark = () => fs.statSync(fs.globSync(`${cache}/compiled-*`)[0] ?? '').mtimeMs
  const before = mark()
  compileAhead(process.execPath, cache)
  expect(mark()).toBe(before)
})

test('a start goes on where the cache cannot be written', () => {
  expect(() => compileAhead(process.execPath, '/dev/null/cache')).not.toThrow()
})

test('zod loads English alone', () => {
  expect(printed('Object.keys(z.locales).length, z.string().safeParse(1).error.message')).toMatch(
    /^0 .*expected string, received number/s,
  )
})
