import { expect, it } from 'vitest'
import { contract } from './kit/contract.ts'
import { writeReport } from './report.ts'
import type { CheckResult } from './run.ts'

it('counts by section, lists the red ones in full and lists what was left out by its reason', () => {
  const report = writeReport([
    { id: '5.2-uri', driver: 'over HTTP', kind: 'green' },
    { id: '5.2-domain', driver: 'over HTTP', kind: 'red', why: 'with domain "x": expected 401, came 200' },
    { id: '6.8-2-waits', driver: 'over HTTP', kind: 'left out', why: 'its clock has to be moved' },
    { id: '6.8-2-waits', driver: 'through lib/service', kind: 'left out', why: 'its clock has to be moved' },
  ])
  expect(report.split('\n')).toEqual([
    '§5.2  1 green, 1 red',
    '  RED 5.2-domain (over HTTP)',
    '      domain is the service’s host, any other is rejected',
    '      with domain "x": expected 401, came 200',
    '§6.8  0 green, 2 left out',
    '',
    'Left out, as its clock has to be moved:',
    '  6.8-2-waits',
    '',
    `${contract.length} rules, 4 runs: 1 green, 1 red, 2 left out`,
  ])
})

it('names a cause that many share once, and the rules that it makes red', () => {
  const run = (id: string, why: string): CheckResult => ({ id, driver: 'over HTTP', kind: 'red', why })
  const report = writeReport([
    run('2.1-email', 'creating a user: expected 201, came 503'),
    run('2.2-user-uuid', "creating a user: expected 'success', came '503'"),
    run('4.1-2-new-code', 'asking for a code: expected 204, came 503'),
    run('7-401-code-wrong', 'a wrong code: expected 401, came 503'),
    run('6-post', 'waited for 1 deliveries, 0 came'),
    run('6-filter', 'waited for 2 deliveries, 0 came'),
    run('5.5-accept', 'waited for 1 deliveries, 0 came'),
    run('2.4-type', 'waited for 57 deliveries, 0 came'),
    run('5.2-uri', 'with uri "x": expected 401, came 200'),
  ])
  const lines = report.split('\n')
  expect(lines.filter((line) => line.includes('503'))).toEqual([
    'RED, 4 runs for one cause: creating a user: expected 201, came 503',
  ])
  expect(lines.filter((line) => line.includes('0 came'))).toEqual([
    'RED, 4 runs for one cause: waited for 1 deliveries, 0 came',
  ])
  expect(lines).toContain('  6-filter')
  expect(lines).toContain('  RED 5.2-uri (over HTTP)')
})
