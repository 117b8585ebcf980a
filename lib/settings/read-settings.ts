import 'server-only'
import type { Listener } from '#lib/db/listen.ts'
import { pool } from '#lib/db/pool.ts'
import { readSettingRow } from '#lib/db/setting-row.ts'
import { type Settings, withDefaults } from './settings.ts'

/** Notified when a setting has changed. */
export const settingsChannel = 'settings'

/** The key of the row that holds them. */
export const settingsKey = 'settings'

/** The merchant's settings. The server keeps them until they change; anybody else reads the row. */
export function readSettings(): Promise<Settings> {
  return (globalThis.rampartSettings ?? readRow)()
}

/** Keeps the settings in memory from now on, for this process and what Next bundles. */
export function keepSettings(source: Listener): void {
  let kept: Promise<Settings> | undefined
  const forget = () => {
    kept = undefined
  }
  source.subscribe(settingsChannel, forget)
  source.onListening(forget)
  globalThis.rampartSettings = () => {
    kept ??= readRow().catch((error: unknown) => {
      forget()
      throw error
    })
    return kept
  }
}

async function readRow(): Promise<Settings> {
  return withDefaults(await readSettingRow(pool(), settingsKey))
}

declare global {
  var rampartSettings: (() => Promise<Settings>) | undefined
}
