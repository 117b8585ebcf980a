import 'server-only'
import { connectionRange, env } from '../env.ts'

/** How many connections each pool may hold, and how many programs beside the pools. */
export interface PoolSizes {
  /** What takes deliveries. */
  readonly ingest: number
  /** Pages: hand-written statements, Prisma's, and those that go by an index, which read much and leave the others to all. */
  readonly pages: number
  readonly records: number
  readonly byIndex: number
  /** The process of the live streams. */
  readonly live: number
  /** Each projector. */
  readonly projector: number
}

/** With fewer a pool could do no two things at once that it has to. With `usual` none waits for long. */
const fewest: PoolSizes = { ingest: 2, pages: 2, records: 2, byIndex: 1, live: 1, projector: 2 }
const usual: PoolSizes = { ingest: 5, pages: 6, records: 5, byIndex: 3, live: 2, projector: 5 }

/**
 * Divides `total` connections. With those that stand beside the pools there are never more: one for each process that listens
 * (2 and the projectors), and 2 for what is short, such as an endpoint that is changed, a migration, a new month.
 */
export function divideConnections(total: number, projectors: number): PoolSizes {
  const range = connectionRange(projectors)
  const share = (total - range.fewest) / (range.usual - range.fewest)
  const of = (name: keyof PoolSizes) => Math.floor(fewest[name] + share * (usual[name] - fewest[name]))
  return {
    ingest: of('ingest'),
    pages: of('pages'),
    records: of('records'),
    byIndex: of('byIndex'),
    live: of('live'),
    projector: of('projector'),
  }
}

/** The sizes of this installation. In the process of the live streams its pool is the one that pages have elsewhere. */
export function poolSizes(): PoolSizes {
  const { databaseConnections, projectors, part } = env()
  const sizes = divideConnections(databaseConnections, projectors)
  return part === 'live' ? { ...sizes, pages: sizes.live } : sizes
}
