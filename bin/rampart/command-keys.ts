import { type Key, readCommandKeys, readDatabaseSettings, toKeys } from '#lib/env.ts'
import { readSecrets } from '../data-directory.ts'

/** The keys of `RAMPART_KEYS`, else those of the data directory; null where neither is. Throws `ConfigurationError`. */
export function commandKeys(): readonly [Key, ...Key[]] | null {
  const given = readCommandKeys() ?? readSecrets(readDatabaseSettings().dataDir)?.keys
  return given ? toKeys(given) : null
}
