import 'server-only'
import { poolByIndex } from '#lib/platform/db/read-pools.ts'
import type { StandingRow } from '#lib/timeline/tables/standing.ts'
import { type StandingFilters, walkQuery } from './page-query.ts'

const rowsOfPortion = 1_000

/**
 * All standings that match in portions, in the order of their ids. Each portion is as it is when it is read.
 * @param which of the rows are listed, as SQL of `standing`
 */
export async function* walkStandings(
  filters: StandingFilters,
  which?: string,
): AsyncGenerator<readonly StandingRow[]> {
  for (let last: StandingRow | undefined; ; ) {
    const { sql, values } = walkQuery(filters, last, rowsOfPortion, which)
    const { rows }: { rows: StandingRow[] } = await poolByIndex().query<StandingRow>(sql, values)
    if (rows.length > 0) yield rows
    if (rows.length < rowsOfPortion) return
    last = rows.at(-1)
  }
}
