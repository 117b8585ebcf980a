import { text } from 'node:stream/consumers'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { openPool } from '#lib/db/pool.ts'
import { noCallSource } from '#lib/request/request-context.ts'
import { ApiKeySchema, fingerprint, storeApiKey } from '#lib/service-key/stored-api-key.ts'
import { commandKeys } from './command-keys.ts'
import { databaseAddress } from './database-address.ts'

/** Takes over another API key when nobody can sign in to give it: it is read from standard input, and seen nowhere. */
export async function serviceKeyCommand(): Promise<number> {
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
    await inTransaction(pool, async (tx) => {
      await storeApiKey(tx, apiKey, null, keys)
      const change = { before: {}, after: { fingerprint: fingerprint(apiKey) } }
      await recordAudit(
        tx,
        { actor: commandLine, action: 'service.key-change', outcome: 'done', change },
        noCallSource,
      )
    })
    console.log(
      'Rampart uses this key from now on. The page Settings says within a minute whether the service takes it.',
    )
    return 0
  } finally {
    await pool.end()
  }
}
