import { expect, it } from 'vitest'
import { contract } from './kit/contract.ts'
import { writeReport } from './report.ts'

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
