import 'server-only'
import type pg from 'pg'
import { isLockTimeout } from './lock-holder.ts'
import type { Migration } from './read-migrations.ts'

/**
 * Makes and drops the indexes of a migration beside running traffic, one statement after the other, each of its own.
 * The file says `CREATE INDEX` and `DROP INDEX` plainly, as Prisma and an empty database take it. After a crash it
 * may be run again: a complete index is kept, an unfinished one is made again. What a table no longer needs once its
 * indexes stand may follow, as `ALTER TABLE` that may be run again as well.
 */
export async function changeIndexes(
  client: pg.Client,
  migration: Migration,
  say: (line: string) => void,
): Promise<void> {
  for (const statement of statementsOf(migration.sql)) {
    const made = /^CREATE (UNIQUE )?INDEX "?(\w+)"? (ON .+)$/is.exec(statement)
    const dropped = /^DROP INDEX (?:IF EXISTS )?"?(\w+)"?$/is.exec(statement)
    if (dropped) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS "${dropped[1]}"`)
    else if (made) await makeIndex(client, made[1] ?? '', made[2] ?? '', made[3] ?? '', say)
    else if (/^ALTER TABLE /i.test(statement)) await alter(client, statement)
    else throw new Error(`neither makes nor drops an index: ${statement.slice(0, 80)}`)
  }
}

async function makeIndex(
  client: pg.Client,
  unique: string,
  name: string,
  on: string,
  say: (line: string) => void,
) {
  const { rows } = await client.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [`"${name}"`],
  )
  if (rows[0]?.valid) return
  if (rows[0]) await client.query(`DROP INDEX CONCURRENTLY "${name}"`)
  const began = performance.now()
  const make = { text: `CREATE ${unique}INDEX CONCURRENTLY "${name}" ${on}`, query_timeout: indexTimeoutMs }
  await client.query(make)
  say(`Index ${name} is made, in ${Math.round((performance.now() - began) / 1_000)} s.`)
}

/** Statements queued behind its lock wait a second at most, as with any migration. */
async function alter(client: pg.Client, statement: string) {
  for (;;) {
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = '1s'`)
      await client.query(statement)
      return void (await client.query('COMMIT'))
    } catch (error) {
      await client.query('ROLLBACK')
      if (!isLockTimeout(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, 2_000))
    }
  }
}

/** Milliseconds for one index: a day. */
const indexTimeoutMs = 86_400_000

const statementsOf = (sql: string): string[] =>
  sql
    .replace(/^\s*--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
