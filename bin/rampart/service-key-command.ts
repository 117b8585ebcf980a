import { text } from 'node:stream/consumers'
import { noCallSource } from '#lib/access/request-context.ts'
import { tellAdmins } from '#lib/audit/notices/tell-admins.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { ApiKeySchema, fingerprint, storeApiKey } from '#lib/endpoints/service-key/stored-api-key.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { commandKeys, keyToWrite } from './command-keys.ts'
import { databaseAddress } from './database-address.ts'

/**
 * Takes over another API key when nobody can sign in to give it: it is read from standard input, and seen nowhere. All admins
 * are told.
 */
export async function serviceKeyCommand(words: readonly string[]): Promise<number> {
  const reason = words.join(' ').trim()
  if (reason.length < 3) {
    console.error('Say why, for the audit: npm run rampart service-key REASON… < FILE')
    return 2
  }
  const keys = commandKeys()
  if (!keys) {
    console.error('RAMPART_KEYS is missing: the key is kept sealed under it.')
    return 1
  }
  if (process.stdin.isTTY) console.error('Paste the API key, then press Enter and Ctrl-D.')
  const apiKey = ApiKeySchema.safeParse(await text(process.stdin)).data
  if (apiKey === undefined) {
    console.error('An API key is printable characters without spaces. Nothing was changed.')
    return 1
  }
  const pool = openPool(databaseAddress(), 1)
  try {
    const key = await keyToWrite(pool, keys)
    await inTransaction(pool, async (tx) => {
      await storeApiKey(tx, { apiKey, configured: null, givenBy: null }, key)
      const change = { before: {}, after: { fingerprint: fingerprint(apiKey) } }
      const entry = { actor: commandLine, action: 'service.key-change', outcome: 'done' } as const
      await recordAudit(tx, { ...entry, reason, change }, noCallSource)
      await tellAdmins(tx, { kind: 'key-changed', actor: null, reason })
    })
    console.log(
      'Rampart uses this key from now on. The page Settings says within a minute whether the service takes it.',
    )
    return 0
  } finally {
    await pool.end()
  }
}
