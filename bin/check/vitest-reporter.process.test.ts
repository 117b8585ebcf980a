import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { reportVariable } from './vitest-reporter.ts'

const vitest = path.join(import.meta.dirname, '../../node_modules/vitest')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-reporter-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const files = [{ file: 'some.spec.ts', seconds: expect.any(Number) }]

/** The function answers what the reporter counts in a run of this one file. */
function count(source: string): unknown {
  const [file, report] = ['some.spec.ts', 'report.json'].map((name) => path.join(folder, name))
  fs.writeFileSync(file ?? '', `import { describe, expect, it } from '${vitest}/dist/index.js'\n${source}`)
  const reporter = path.join(import.meta.dirname, 'vitest-reporter.ts')
  spawnSync(
    process.execPath,
    [path.join(vitest, 'vitest.mjs'), 'run', '--root', folder, `--reporter=${reporter}`],
    {
      env: { NODE_ENV: 'test', PATH: process.env.PATH, [reportVariable]: report },
    },
  )
  return JSON.parse(fs.readFileSync(report ?? '', 'utf8'))
}

test('counts tests, and reports what was skipped and why', () => {
  const source = `
    it('adds', () => expect(1 + 1).toBe(2))
    it('fails', () => expect(1 + 1).toBe(3))
    describe('on paper', () => it('prints', ({ skip }) => skip('needs a printer')))
    it.skip('draws', () => undefined)`
  expect(count(source)).toEqual({
    passed: 1,
    failed: ['some.spec.ts: fails (expected 2 to be 3 // Object.is equality)'],
    messages: ['some.spec.ts: fails\nexpected 2 to be 3 // Object.is equality'],
    skipped: ['on paper > prints (needs a printer)', 'draws'],
    unsteady: [],
    files,
  })
})

const nothingElse = { messages: [], skipped: [], unsteady: [], files }

test('counts an error outside of tests as failed', () => {
  const source = `it('adds', () => { setTimeout(() => { throw new Error('late') }, 0); return new Promise((r) => setTimeout(r, 50)) })`
  expect(count(source)).toEqual({ passed: 1, failed: ['late'], ...nothingElse })
})

test('counts a file that cannot be loaded as failed', () => {
  expect(count(`throw new Error('no')`)).toEqual({
    passed: 0,
    failed: ['no'],
    ...nothingElse,
  })
})

test('names a test that passed only at the second try', () => {
  const source = `let tries = 0; it('adds', { retry: 1 }, () => expect(++tries).toBe(2))`
  expect(count(source)).toEqual({
    passed: 1,
    failed: [],
    messages: [],
    skipped: [],
    unsteady: ['some.spec.ts: adds'],
    files,
  })
})
