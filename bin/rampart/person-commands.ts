import { once } from 'node:events'
import { noCallSource } from '../../lib/access/caller.ts'
import { tellAdmins } from '../../lib/audit/notices/notices.ts'
import { commandLine, recordAudit } from '../../lib/audit/record-audit.ts'
import { beginErasure, runErasure } from '../../lib/people/erasure/erase-user.ts'
import { isFinished } from '../../lib/people/erasure/erasure-store.ts'
import { userData } from '../../lib/people/erasure/export-user.ts'
import { inTransaction } from '../../lib/platform/db/in-transaction.ts'
import { openPool } from '../../lib/platform/db/pool.ts'
import { Refused } from '../../lib/platform/refusals.ts'
import { cleanText } from '../../lib/platform/rules/pasted-text.ts'
import { reasonLength } from '../../lib/platform/rules/reason.ts'
import { findUuid } from '../../lib/platform/rules/whole-ids.ts'
import { formatBytes } from '../../lib/words/labels/formats.ts'
import { wordRefusal } from '../../lib/words/labels/refusals.ts'
import { databaseAddress } from './database-address.ts'
import { endProgress, progressLine } from './progress.ts'

/** The command prints everything that is held about a person. */
export async function exportUserCommand(words: readonly string[]): Promise<number> {
  const asked = readPersonWords('export-user', words)
  if (!asked) return 2
  const { userUuid, reason } = asked
  const pool = openPool(databaseAddress(), 2)
  try {
    await inTransaction(pool, async (tx) => {
      const entry = {
        actor: commandLine,
        action: 'user.export',
        target: userUuid,
        outcome: 'done',
        reason,
      } as const
      await recordAudit(tx, entry, noCallSource)
      const facts = { what: 'all that is held of one user' }
      await tellAdmins(tx, { kind: 'data-exported', actor: null, reason, facts })
    })
    const show = progressLine(process.stderr)
    let bytes = 0
    for await (const text of userData(pool, userUuid)) {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain')
      bytes += text.length
      if (bytes > 1_000_000 && !process.stdout.isTTY) show(() => `${formatBytes(bytes)} were written`)
    }
    endProgress()
    return 0
  } finally {
    await pool.end()
  }
}

/** The command erases a person and waits until it is done. Rampart continues when the command is interrupted. */
export async function eraseUserCommand(words: readonly string[]): Promise<number> {
  const asked = readPersonWords('erase-user', words)
  if (!asked) return 2
  const { userUuid, reason } = asked
  const pool = openPool(databaseAddress(), 2)
  try {
    const { id, wasKnown } = await inTransaction(pool, async (tx) => {
      const { rowCount } = await tx.query('SELECT FROM person WHERE user_uuid = $1', [userUuid])
      const begun = await beginErasure(tx, userUuid)
      const entry = {
        actor: commandLine,
        action: 'user.erase',
        target: begun,
        outcome: 'begun',
        reason,
      } as const
      await recordAudit(tx, entry, noCallSource)
      await tellAdmins(tx, { kind: 'person-erased', actor: null, about: begun, reason })
      return { id: begun, wasKnown: rowCount === 1 }
    })
    console.log(
      wasKnown
        ? `Removed from the directory and from signing in; the mark is ${id}.`
        : `The directory does not name this person; the mark is ${id}.`,
    )
    let left = await runErasure(pool, id)
    while (left === null && !(await isFinished(pool, id))) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      left = await runErasure(pool, id)
    }
    // Another process that finished the erasure has kept its counts to itself.
    if (!wasKnown && left?.subjects === 0 && left.deliveries === 0) {
      console.error(
        `Nothing was held of ${userUuid}: neither the directory nor any delivery names it. Is it the right one?`,
      )
      return 1
    }
    console.log('Done: nothing that was received tells of this person any more.')
    return 0
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { title, next } = wordRefusal('en', error)
    console.error(`${title} ${next}`)
    return 1
  } finally {
    await pool.end()
  }
}

/**
 * The words name the person of a command, and the reason. The result is null when they were not understood, which is
 * printed.
 */
function readPersonWords(
  command: string,
  [typed = '', ...words]: readonly string[],
): { readonly userUuid: string; readonly reason: string } | null {
  const reason = words.join(' ').trim()
  const userUuid = findUuid(cleanText(typed))
  if (userUuid !== null && reason.length >= reasonLength.least) return { userUuid, reason }
  console.error(
    userUuid !== null
      ? `Say why, for the audit: npm run rampart ${command} ${userUuid} asked for by mail`
      : `"${typed}" is no uuid of a user: npm run rampart ${command} UUID REASON…`,
  )
  return null
}
