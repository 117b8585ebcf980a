import type pg from 'pg'
import { type Key, readCommandKeys, readDatabaseSettings, toKeys } from '#lib/platform/env.ts'
import { agreeOnKeys, readKeysOfOthers, readUsableKeyIds } from '#lib/platform/keys/agree-on-keys.ts'
import { secretDigester } from '#lib/platform/keys/secret-digest.ts'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { readSecrets } from '../data-directory.ts'

/** The keys of `RAMPART_KEYS`, else those of the data directory; null where neither is. Throws `ConfigurationError`. */
export function commandKeys(): readonly [Key, ...Key[]] | null {
  const given = readCommandKeys() ?? readSecrets(readDatabaseSettings().dataDir)?.keys
  return given ? toKeys(given) : null
}

/** None of the keys of a command can be read by all servers that run. */
class NoCommonKey extends OperatorError {}

/** The key under which a command keeps what the servers that run are to read. Throws `NoCommonKey`. */
export async function keyToWrite(pool: pg.Pool, keys: readonly [Key, ...Key[]]): Promise<Key> {
  const digester = secretDigester(keys)
  const usable = await readUsableKeyIds(
    pool,
    digester.keyIds,
    (id) => digester.keyFingerprint(id)?.toString('hex') ?? '',
  )
  const others = await readKeysOfOthers(pool)
  const [newest, ...older] = digester.keyIds.filter((id) => usable.has(id))
  const { writes } = newest === undefined ? { writes: '' } : agreeOnKeys([newest, ...older], others)
  const key = keys.find(({ id }) => id === writes)
  if (!key || others.some((ids) => ids && ids.length > 0 && !ids.includes(writes)))
    throw new NoCommonKey(
      `RAMPART_KEYS: the servers that run have none of the keys ${digester.keyIds.join(', ')} in common. Give the command what they have.`,
    )
  return key
}
