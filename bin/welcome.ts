import { createSetUpLink } from '#lib/identity/links/access-links.ts'
import { readUnsaidRestore, unsaidRestoreWords } from '#lib/operations/restore/restore-state.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { setUpWords } from './rampart/sign-in-commands.ts'

// A start runs this program when the server is up. The supervisor would keep in memory what is loaded here, as long as Rampart
// runs.
try {
  const link = await createSetUpLink(pool(), env().publicUrl)
  if (link !== null) console.log(setUpWords(link))
  if (await readUnsaidRestore(pool())) console.error(unsaidRestoreWords)
  process.send?.({ kind: 'ready' }, () => process.exit(0))
} catch (error) {
  process.send?.({ kind: 'failed', line: messageOfError(error) }, () => process.exit(1))
}
