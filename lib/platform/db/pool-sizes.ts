import 'server-only'
import { connectionRange, env } from '../env.ts'

/** Each pool may have so many connections. */
export interface PoolSizes {
  /** The ingest accepts deliveries. */
  readonly ingest: number
  /** Pages use `pages` for ordinary statements and Prisma's, and `byIndex` for large reads by an index. */
  readonly pages: number
  readonly byIndex: number
  /** The process of the live streams has this pool. */
  readonly live: number
  /** Each projector has this many. */
  readonly projector: number
}

/** With fewer than `fewest`, a pool could not do two necessary things at once. With `usual`, no caller waits long. */
const fewest: PoolSizes = { ingest: 2, pages: 4, byIndex: 1, live: 1, projector: 2 }
const usual: PoolSizes = { ingest: 5, pages: 11, byIndex: 3, live: 2, projector: 5 }

/**
 * `divideConnections` divides `total` connections among the pools. There are also connections outside the pools: one for
 * each process that listens (2 and the projectors), and 2 for short tasks, such as a changed endpoint, a migration or a new
 * month.
 */
export function divideConnections(total: number, projectors: number): PoolSizes {
  const range = connectionRange(projectors)
  const share = (total - range.fewest) / (range.usual - range.fewest)
  const of = (name: keyof PoolSizes) => Math.floor(fewest[name] + share * (usual[name] - fewest[name]))
  return {
    ingest: of('ingest'),
    pages: of('pages'),
    byIndex: of('byIndex'),
    live: of('live'),
    projector: of('projector'),
  }
}

/** The sizes are those of this installation. The process of the live streams uses its pool as `pages`. */
export function poolSizes(): PoolSizes {
  const { databaseConnections, projectors, part } = env()
  const sizes = divideConnections(databaseConnections, projectors)
  return part === 'live' ? { ...sizes, pages: sizes.live } : sizes
}
