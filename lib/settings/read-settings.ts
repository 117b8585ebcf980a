import 'server-only'
import type { Listener } from '#lib/db/listen.ts'
import { pool } from '#lib/db/pool.ts'
import { type Settings, withDefaults } from './settings.ts'

/** Notified when a setting has changed. */
export const settingsChannel = 'settings'

/** The key of the row that holds them. */
export const settingsKey = 'settings'

/** The merchant's settings. The server keeps them until they change; anybody else reads the row. */
export function readSettings(): Promise<Settings> {
  const kept = globalThis.rampartSettings
  if (!kept) return readRow()
  kept.settings ??= readRow().catch((error: unknown) => {
    kept.settings = undefined
    throw error
  })
  return kept.settings
}

/** Keeps the settings in memory from now on, for this process and what Next bundles. */
export function keepSettings(source: Listener): void {
  const kept: KeptSettings = { settings: undefined }
  const forget = () => {
    kept.settings = undefined
  }
  source.subscribe(settingsChannel, forget)
  source.onListening(forget)
  globalThis.rampartSettings = kept
}

async function readRow(): Promise<Settings> {
  const { rows } = await pool().query<{ value: unknown }>('SELECT value FROM setting WHERE key = $1', [
    settingsKey,
  ])
  return withDefaults(rows[0]?.value)
}

interface KeptSettings {
  // biome-ignore lint/plugin: forgotten when they change
  settings: Promise<Settings> | undefined
}

declare global {
  var rampartSettings: KeptSettings | undefined
}
