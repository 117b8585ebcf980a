import { expect, it } from 'vitest'
import { type UsualMove, usualNext } from './usual-next.ts'

const move = (next: string, moves: number, given: Partial<UsualMove> = {}): UsualMove => ({
  direction: 'fiatToCrypto',
  step: 'ON_HOLD',
  reason: null,
  next,
  moves,
  halfMs: 1_000,
  ...given,
})
const held = { direction: 'fiatToCrypto', step: 'ON_HOLD', reason: 'ON_HOLD_KYC' }
const all = [move('IN_PROGRESS', 60), move('FAILED', 30), move('REFUNDED', 9), move('SUCCESS', 1)]

it('names what followed most often, in hundredths of all', () => {
  expect(usualNext(all, held)).toEqual({
    count: 100,
    nexts: [
      { step: 'IN_PROGRESS', ofHundred: 60, halfMs: 1_000 },
      { step: 'FAILED', ofHundred: 30, halfMs: 1_000 },
      { step: 'REFUNDED', ofHundred: 9, halfMs: 1_000 },
    ],
  })
})

it('goes by those of the same reason where they are enough', () => {
  const kyc = (next: string, moves: number) => move(next, moves, { reason: 'ON_HOLD_KYC' })
  expect(usualNext([...all, kyc('IN_PROGRESS', 50)], held)).toMatchObject({ count: 50 })
  expect(usualNext([...all, kyc('IN_PROGRESS', 39)], held)).toMatchObject({ count: 100 })
})

it('says nothing from too few, and nothing of another step or direction', () => {
  expect(usualNext([move('IN_PROGRESS', 39)], held)).toBeNull()
  expect(usualNext(all, { ...held, step: 'PENDING' })).toBeNull()
  expect(usualNext(all, { ...held, direction: 'cryptoToFiat' })).toBeNull()
  expect(usualNext(all, { ...held, direction: null })).toBeNull()
})

it('names nothing that is rarer than one in a hundred', () => {
  expect(usualNext([move('IN_PROGRESS', 999), move('FAILED', 1)], held)?.nexts).toHaveLength(1)
})

it.each([
  [
    [133, 67],
    [67, 33],
  ],
  [[999, 1], [99]],
  [[199, 1], [99]],
  [
    [67, 67, 66],
    [34, 33, 33],
  ],
  [
    [101, 99],
    [51, 49],
  ],
  [[2_000], [100]],
])('says of %j together no more than a hundred, and a hundred only of all', (moves, hundredths) => {
  const found = moves.map((cases, at) => move(['IN_PROGRESS', 'FAILED', 'REFUNDED'][at] ?? '', cases))
  expect(usualNext(found, held)?.nexts.map(({ ofHundred }) => ofHundred)).toEqual(hundredths)
})
