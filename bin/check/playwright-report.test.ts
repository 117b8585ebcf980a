import { expect, test } from 'vitest'
import { readAnnotations, readPlaywrightReport } from './playwright-report.ts'

const spec = (title: string, status: string, description?: string) => ({
  title,
  tests: [
    {
      status,
      annotations: description ? [{ type: 'skip', description }] : [],
      results: status === 'unexpected' ? [{ error: { message: '\u001b[31mtoo late\nat a line' } }, {}] : [{}],
    },
  ],
})

test('counts tests of nested suites, and reports what was skipped and why', () => {
  const suites = [
    {
      specs: [spec('signs in', 'expected'), spec('prints', 'skipped', 'needs a printer')],
      suites: [{ specs: [spec('signs out', 'unexpected'), spec('waits', 'skipped')] }],
    },
  ]
  expect(readPlaywrightReport({ suites, errors: [] })).toEqual({
    passed: 1,
    failed: ['signs out (too late)'],
    skipped: ['prints (needs a printer)', 'waits'],
    unsteady: [],
  })
})

test('names a test that passed only at the second try', () => {
  const report = { suites: [{ specs: [spec('signs in', 'flaky')] }], errors: [] }
  expect(readPlaywrightReport(report)).toMatchObject({ passed: 1, failed: [], unsteady: ['signs in'] })
})

test('counts an error outside tests as failed', () => {
  const report = { suites: [], errors: [{ message: 'no start' }] }
  expect(readPlaywrightReport(report)).toMatchObject({ passed: 0, failed: ['no start'] })
})

test('answers what tests noted under one name, however deep their suites', () => {
  const noting = (title: string, type: string, description: string) => ({
    title,
    tests: [{ status: 'expected', annotations: [{ type, description }], results: [{}] }],
  })
  const suites = [
    {
      specs: [noting('overview', 'controls', '41'), noting('overview', 'skip', 'needs a printer')],
      suites: [{ specs: [noting('team', 'controls', '12')] }],
    },
  ]
  expect(readAnnotations({ suites, errors: [] }, 'controls')).toEqual([
    { title: 'overview', noted: '41' },
    { title: 'team', noted: '12' },
  ])
})
