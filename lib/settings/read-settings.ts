import 'server-only'
import { keptRow } from './kept-row.ts'
import { withDefaults } from './settings.ts'

/** The key of the row that holds them. */
export const settingsKey = 'settings'

/** The merchant's settings. */
export const { read: readSettings, readStored: readStoredSettings } = keptRow(settingsKey, withDefaults)
