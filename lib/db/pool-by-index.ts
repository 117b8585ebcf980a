import 'server-only'
import type pg from 'pg'
import { env } from '#lib/env.ts'
import { planByIndex } from './plan-by-index.ts'
import { openPool } from './pool.ts'

/** Connections, so that questions that read much leave those of `pool` to all others. */
const most = 3

/** Milliseconds for a query. */
const limitMs = 10_000

/**
 * For statements that go through many rows in the order of an index and stop: the planner, who underrates how many there are,
 * would read and sort all of them.
 */
export function poolByIndex(): pg.Pool {
  globalThis.rampartPoolByIndex ??= openPool(env().databaseUrl, most, limitMs, planByIndex)
  return globalThis.rampartPoolByIndex
}

/** For an orderly end. */
export async function closePoolByIndex(): Promise<void> {
  await globalThis.rampartPoolByIndex?.end()
  globalThis.rampartPoolByIndex = undefined
}

declare global {
  var rampartPoolByIndex: pg.Pool | undefined
}
