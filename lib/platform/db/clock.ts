import 'server-only'
import type pg from 'pg'

/**
 * `readClock` reads the database's clock, in ms since 1970. The times of its rows are compared with it, because the clocks of the
 * machines may differ.
 */
export async function readClock(database: Pick<pg.Pool, 'query'>): Promise<number> {
  const { rows } = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  return rows[0]?.now.getTime() ?? Date.now()
}

/** This process began at this time by the clock that says `now`, both in ms since 1970. */
export const processBegan = (now: number): number => now - performance.now()
