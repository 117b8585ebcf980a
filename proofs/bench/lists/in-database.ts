import { pool } from '../../../lib/platform/db/pool.ts'

/**
 * Milliseconds that the database itself takes for all statements of some work, planning included, as it says when
 * each is run once more.
 */
export async function inDatabase(work: () => Promise<unknown>): Promise<number> {
  const database = pool()
  const sent: { sql: string; values: unknown[] }[] = []
  globalThis.rampartPool = new Proxy(database, {
    get: (target, name) =>
      name === 'query'
        ? (sql: string, values: unknown[]) => {
            sent.push({ sql, values })
            return target.query(sql, values)
          }
        : Reflect.get(target, name, target),
  })
  await work().finally(() => {
    globalThis.rampartPool = database
  })
  let total = 0
  for (const { sql, values } of sent) {
    const { rows } = await database.query<{ 'QUERY PLAN': [Timed] }>(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${sql}`,
      values,
    )
    for (const { 'QUERY PLAN': plan } of rows) total += plan[0]['Planning Time'] + plan[0]['Execution Time']
  }
  return total
}

interface Timed {
  readonly 'Planning Time': number
  readonly 'Execution Time': number
}
