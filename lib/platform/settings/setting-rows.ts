import 'server-only'
import type pg from 'pg'
import type { Listener } from '../db/listen.ts'
import { pool } from '../db/pool.ts'

/** The value is that of a key in the table `setting`; undefined for no row. */
export async function readSettingRow(database: Pick<pg.Pool, 'query'>, key: string): Promise<unknown> {
  const { rows } = await database.query<{ value: unknown }>('SELECT value FROM setting WHERE key = $1', [key])
  return rows[0]?.value
}

/** `keepSettingRow` overwrites the value of a key, as JSON. */
export async function keepSettingRow(
  database: Pick<pg.Pool, 'query'>,
  key: string,
  value: unknown,
): Promise<void> {
  await database.query(KEEP, [key, JSON.stringify(value)])
}

const KEEP = `
  INSERT INTO setting (key, value) VALUES ($1, $2)
  ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()`

/** A kept row of the table `setting` is one that most pages need. */
interface KeptRow<T> {
  /** `read` returns the value in this process's memory. Another server's change arrives with its notification. */
  readonly read: () => Promise<T>
  /** `readStored` returns the stored value, for pages where somebody may just have changed it at another server. */
  readonly readStored: () => Promise<T>
}

/** @param parse reads the stored value; undefined for no row */
export function keptRow<T>(key: string, parse: (stored: unknown) => T): KeptRow<T> {
  const readStored = async () => parse(await readSettingRow(pool(), key))
  let kept: { readonly since: object; readonly row: Promise<T> } | undefined
  return {
    readStored,
    read() {
      const since = globalThis.rampartLastSettingChange
      if (since === undefined) return readStored()
      if (kept?.since === since) return kept.row
      const row = readStored().catch((error: unknown) => {
        kept = undefined
        throw error
      })
      kept = { since, row }
      return row
    },
  }
}

/** `keepRows` makes this process, with Next's bundle, keep such rows in memory until one of them changes. */
export function keepRows(source: Listener): void {
  globalThis.rampartLastSettingChange = {}
  source.subscribe(settingsChannel, forgetRows)
  source.onListening(forgetRows)
}

/** Other processes learn of a change by the channel `settingsChannel`. The process that made it need not wait for that. */
export function forgetRows(): void {
  if (globalThis.rampartLastSettingChange) globalThis.rampartLastSettingChange = {}
}

/** The channel is notified when such a row has changed. */
export const settingsChannel = 'settings'

declare global {
  /** The object marks the last change that this process knows; undefined when it keeps no rows. */
  var rampartLastSettingChange: object | undefined
}
