import 'server-only'
import type pg from 'pg'
import type { Listener } from '../db/listen.ts'
import { pool } from '../db/pool.ts'

/** What the table `setting` holds under a key; undefined where there is no row. */
export async function readSettingRow(database: Pick<pg.Pool, 'query'>, key: string): Promise<unknown> {
  const { rows } = await database.query<{ value: unknown }>('SELECT value FROM setting WHERE key = $1', [key])
  return rows[0]?.value
}

/** Writes over what is held under a key, as JSON. */
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

/** A row of the table `setting` that most pages want. */
interface KeptRow<T> {
  /** Answers what this process keeps in memory; another server's change is there once its notification is. */
  readonly read: () => Promise<T>
  /** Answers what is stored, for pages where somebody may just have changed it at another server. */
  readonly readStored: () => Promise<T>
}

/** @param parse reads what is stored; undefined where there is no row */
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

/** From now on this process, with what Next bundles, keeps such rows in memory until one of them changes. */
export function keepRows(source: Listener): void {
  globalThis.rampartLastSettingChange = {}
  source.subscribe(settingsChannel, forgetRows)
  source.onListening(forgetRows)
}

/** Every other process is told of a change by the channel `settingsChannel`; whoever made it need not wait for that. */
export function forgetRows(): void {
  if (globalThis.rampartLastSettingChange) globalThis.rampartLastSettingChange = {}
}

/** Notified when such a row has changed. */
export const settingsChannel = 'settings'

declare global {
  /** Stands for the last change that this process knows of; undefined where it keeps nothing. */
  var rampartLastSettingChange: object | undefined
}
