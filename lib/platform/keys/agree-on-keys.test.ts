import { expect, test } from 'vitest'
import { agreeOnKeys } from './agree-on-keys.ts'

type Ids = [string, ...string[]]

test.each<[string, Ids, (string[] | null)[], string, boolean]>([
  ['alone', ['k2', 'k1'], [], 'k2', true],
  ['beside one without the new key', ['k2', 'k1'], [['k1']], 'k1', false],
  ['beside two of which one has not the new key', ['k2', 'k1'], [['k2', 'k1'], ['k1']], 'k1', false],
  ['beside one that reads the new key, and writes the old', ['k2', 'k1'], [['k1', 'k2']], 'k2', false],
  ['seen from that one', ['k1', 'k2'], [['k2', 'k1']], 'k1', false],
  ['when all have it', ['k2', 'k1'], [['k2', 'k1']], 'k2', true],
  ['beside one that has let the old one go', ['k2', 'k1'], [['k2']], 'k2', true],
  ['beside one that has gone on', ['k2', 'k1'], [['k3', 'k2', 'k1']], 'k2', false],
  ['beside one of an older version', ['k2', 'k1'], [null, ['k2', 'k1']], 'k1', false],
  ['beside one that shares none', ['k3', 'k2'], [['k1']], 'k2', false],
  ['beside one whose keys are all wrong', ['k2', 'k1'], [[]], 'k2', true],
])('%s', (_where, own, others, writes, moves) => {
  expect(agreeOnKeys(own, others)).toEqual({ writes, moves })
})

test('in any combination, no process writes what another cannot read, and no two move data to and fro', () => {
  const lists: Ids[] = [['k1'], ['k1', 'k2'], ['k2', 'k1'], ['k2'], ['k3', 'k2', 'k1'], ['k3', 'k2']]
  for (const one of lists)
    for (const other of lists) {
      const [mine, theirs] = [agreeOnKeys(one, [other]), agreeOnKeys(other, [one])]
      const shared = one.some((id) => other.includes(id))
      if (shared) expect([other.includes(mine.writes), one.includes(theirs.writes)]).toEqual([true, true])
      if (mine.moves || theirs.moves) expect(mine.writes).toBe(theirs.writes)
    }
})
