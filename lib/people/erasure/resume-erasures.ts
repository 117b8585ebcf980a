import 'server-only'
import type pg from 'pg'
import { launchErasure } from './erase-user.ts'
import { listUnfinished } from './erasure-store.ts'

/** Goes on with erasures that whoever ran them has left. */
export async function resumeErasures(pool: pg.Pool): Promise<void> {
  for (const id of await listUnfinished(pool)) launchErasure(id)
}
