import type pg from 'pg'

/** Standings that a test has inserted itself are counted, as the projector counts those that it writes. */
export const countStandings = (pool: pg.Pool) =>
  pool.query(`
    LOCK standing_count IN EXCLUSIVE MODE;
    DELETE FROM standing_count;
    INSERT INTO standing_count SELECT type, COALESCE(state, ''), COALESCE(currency, ''), -1, count(*) FROM standing GROUP BY 1, 2, 3`)
