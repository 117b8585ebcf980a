import 'server-only'
import { keptRow } from './kept-row.ts'
import { withDefaults } from './settings.ts'

/** The key of the row that holds them. */
export const settingsKey = 'settings'

const row = keptRow(settingsKey, withDefaults)

/** The merchant's settings. */
export const readSettings = row.read
export const readStoredSettings = row.readStored
