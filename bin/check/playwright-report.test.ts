import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readAnnotations, readPlaywrightReport } from './result.ts'

const spec = (title: string, status: string, description?: string) => ({
  title,
  tests: [
    {
      status,
      annotations: description ? [{ type: 'skip', description }] : [],
      results:
        status === 'unexpected'
          ? [{ error: { message: '\u001b[31mtoo late\nat a line' }, duration: 500 }, { duration: 250 }]
          : [{ duration: 250 }],
    },
  ],
})

test('counts tests of nested suites with their time, and reports what was skipped and why', () => {
  const suites = [
    {
      file: 'sign-in.spec.ts',
      specs: [spec('signs in', 'expected'), spec('prints', 'skipped', 'needs a printer')],
      suites: [
        { file: 'sign-in.spec.ts', specs: [spec('signs out', 'unexpected'), spec('waits', 'skipped')] },
      ],
    },
  ]
  expect(readPlaywrightReport({ suites, errors: [] })).toEqual({
    passed: 1,
    failed: ['signs out (too late)'],
    messages: ['signs out\ntoo late\nat a line'],
    skipped: ['prints (needs a printer)', 'waits'],
    unsteady: [],
    files: [{ file: 'e2e/sign-in.spec.ts', seconds: 1.5 }],
  })
})

test('names a test that passed only at the second try', () => {
  const report = { suites: [{ file: 'sign-in.spec.ts', specs: [spec('signs in', 'flaky')] }], errors: [] }
  expect(readPlaywrightReport(report)).toMatchObject({ passed: 1, failed: [], unsteady: ['signs in'] })
})

test('tells what was on the page when a first try failed', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-check-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  const context = path.join(folder, 'error-context.md')
  const written = [
    '# Error details',
    '```',
    'too late',
    '```',
    '```yaml',
    '- main: Sign in',
    '```',
    '```ts',
    '```',
  ]
  fs.writeFileSync(context, written.join('\n'))
  const attachments = [{ name: 'screenshot' }, { name: 'error-context', path: context }]
  const tries = (status: string) => ({
    ...spec('signs in', status),
    tests: [
      { status, annotations: [], results: [{ error: { message: 'too late' }, duration: 250, attachments }] },
    ],
  })
  const messages = (status: string) =>
    readPlaywrightReport({ suites: [{ file: 'sign-in.spec.ts', specs: [tries(status)] }], errors: [] })
      .messages
  const both = ['signs in\ntoo late\n\nThe page was:\n- main: Sign in']
  expect(messages('flaky')).toEqual(both)
  expect(messages('unexpected')).toEqual(both)
  expect(messages('expected')).toEqual([])
})

test('counts an error outside tests as failed', () => {
  const report = { suites: [], errors: [{ message: 'no start' }] }
  expect(readPlaywrightReport(report)).toMatchObject({ passed: 0, failed: ['no start'] })
})

test('answers what tests noted under one name, however deep their suites', () => {
  const noting = (title: string, type: string, description: string) => ({
    title,
    tests: [{ status: 'expected', annotations: [{ type, description }], results: [{ duration: 250 }] }],
  })
  const suites = [
    {
      file: 'pages.spec.ts',
      specs: [noting('overview', 'controls', '41'), noting('overview', 'skip', 'needs a printer')],
      suites: [{ file: 'pages.spec.ts', specs: [noting('team', 'controls', '12')] }],
    },
  ]
  expect(readAnnotations({ suites, errors: [] }, 'controls')).toEqual([
    { title: 'overview', noted: '41' },
    { title: 'team', noted: '12' },
  ])
})
