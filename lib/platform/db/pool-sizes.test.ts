import fs from 'node:fs'
import { expect, test } from 'vitest'
import { configure } from '../../../test/service.ts'
import { connectionRange } from '../env.ts'
import { divideConnections, type PoolSizes, poolSizes } from './pool-sizes.ts'

const together = (sizes: PoolSizes, projectors: number) => {
  const { projector, ...others } = sizes
  const pools = Object.values(others).reduce((sum, size) => sum + size, 0) + projector * projectors
  return pools + 2 + projectors + 2
}

test.each([0, 1, 2, 8, 64])(
  'with %i projectors every number is divided, and none has more in all',
  (projectors) => {
    const { fewest, usual } = connectionRange(projectors)
    for (const total of [fewest, fewest + 1, usual - 1, usual, usual + 1, 200, 1_000]) {
      if (total < fewest) continue
      const sizes = divideConnections(total, projectors)
      expect(together(sizes, projectors)).toBeLessThanOrEqual(total)
      expect(Math.min(...Object.values(sizes))).toBeGreaterThan(0)
    }
    expect(together(divideConnections(fewest, projectors), projectors)).toBe(fewest)
    expect(together(divideConnections(usual, projectors), projectors)).toBe(usual)
  },
)

test.each([
  ['web,live', 0],
  ['receiver', 0],
  ['projector', 1],
  ['all', 1],
])('a start with ROLE=%s gives its processes no fewer connections than they take', (ROLE, projectors) => {
  const { fewest } = connectionRange(projectors)
  configure({ ROLE, PROJECTORS: '1', DATABASE_CONNECTIONS: String(fewest) })
  expect(poolSizes()).toEqual(divideConnections(fewest, projectors))
})

test('docs/scale.md has these numbers', () => {
  const rows = fs.readFileSync('docs/scale.md', 'utf8').split('\n')
  const [usual, fewest] = [connectionRange(1).usual, connectionRange(1).fewest]
  const [many, few] = [divideConnections(usual, 1), divideConnections(fewest, 1)]
  const pages = ({ pages, byIndex }: PoolSizes) => `${pages} + ${byIndex}`
  for (const row of [
    `| server: deliveries | ${many.ingest} | ${few.ingest} |`,
    `| server: pages | ${pages(many)} | ${pages(few)} |`,
    `| live streams | ${many.live} + 1 | ${few.live} + 1 |`,
    `| each projector | ${many.projector} + 1 | ${few.projector} + 1 |`,
    `| together, with one projector | ${usual} | ${fewest} |`,
  ])
    expect(rows).toContain(row)
})
