import { expect, test } from 'vitest'
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
