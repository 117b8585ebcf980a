import { expect, it } from 'vitest'
import type { OtherSubject } from '#lib/search/found.ts'
import { nothingFound } from '../../test/nothing-found.ts'
import { foundCount } from './found-count.ts'

const at = '2026-11-20T10:00:00.000Z'
const subject: OtherSubject = {
  subjectId: 'entity:u',
  startedAt: at,
  latest: {
    id: '1',
    subjectId: 'entity:u',
    type: 'KYC',
    subType: 'statusUpdate',
    status: 'KYC_PENDING',
    entityUuid: 'u',
    firstReceivedAt: at,
    lastReceivedAt: at,
    placedBefore: null,
    cameAgainId: null,
    cameAgainAt: null,
    deliveries: 1,
    unreadable: null,
    flags: [],
    transactionUuid: null,
    userEmail: null,
    restricted: false,
  },
}

it('counts at least as many as a page shows that read further than the count', () => {
  const found = { ...nothingFound, rows: [subject, { ...subject, subjectId: 'entity:v' }], next: 'further' }
  const total = (count: number) => ({ count, exact: false, atLeast: true }) as const
  expect(foundCount({ ...found, total: total(1) })).toBe('more than 2 matches')
  expect(foundCount({ ...found, total: total(7) })).toBe('at least 7 matches')
  expect(foundCount({ ...found, total: total(1_000) })).toBe('more than 1,000 matches')
})

it('says that nothing was found only when everything was read', () => {
  expect(foundCount(nothingFound)).toBe('nothing found')
  expect(foundCount({ ...nothingFound, scannedTo: at, next: 'further' })).toBe('nothing found so far')
})
