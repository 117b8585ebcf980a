import { readUnsaidRestore, unsaidRestoreWords } from '#lib/operations/restore/notice-restore.ts'
import { readMailHealth } from '#lib/operations/settings/read-mail-health.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { type MailHealth, mailTrouble } from '#lib/platform/rules/mail-trouble.ts'
import { findLostMonths, sayLost } from '#lib/timeline/projector/lost-months.ts'
import { readBacklog } from '#lib/timeline/projector/read-backlog.ts'
import { formatPlainDuration } from '#lib/words/labels/duration.ts'
import { databaseAddress } from './database-address.ts'

/** Prints the projector's figures, one a line. */
export async function statusCommand(): Promise<number> {
  const pool = openPool(databaseAddress(), 1)
  try {
    const { waiting, oldestSeconds, deadLetters, active, rebuild, outdated } = await readBacklog(pool)
    const age = oldestSeconds === null ? '' : `, the oldest for ${formatPlainDuration(oldestSeconds)}`
    console.log(`waiting       ${waiting}${age}`)
    console.log(`dead letters  ${deadLetters}`)
    console.log(`projector     ${active ? 'active' : 'none is active'}`)
    console.log(
      `rebuild       ${rebuild === null ? 'none' : `under way: ${rebuild.done} of ${rebuild.total}`}`,
    )
    console.log(`rules         ${outdated ? older : 'those of this version'}`)
    const mail = await readMailHealth(pool)
    console.log(`mail          ${mailInWords(mail)}`)
    const restored = await readUnsaidRestore(pool)
    if (restored) console.log(unsaidRestoreWords)
    const lost = await findLostMonths(pool)
    console.log(`log           ${lost.length === 0 ? 'whole' : 'not whole'}`)
    if (lost.length > 0) console.error(sayLost(lost))
    const isWell = active && deadLetters === 0 && !restored && lost.length === 0
    return isWell && mailTrouble(mail) === null ? 0 : 1
  } finally {
    await pool.end()
  }
}

function mailInWords({ waiting, lateSince, lost, lastFault }: MailHealth): string {
  const seconds = lateSince === null ? 0 : (Date.now() - Date.parse(lateSince)) / 1_000
  const late = lateSince === null ? '' : `, the oldest for ${formatPlainDuration(seconds)}`
  const missed = lost === 0 ? '' : `, ${lost} of the last day may have reached nobody`
  const fault = (lateSince !== null || lost > 0) && lastFault !== null ? `: ${lastFault.answer}` : ''
  return `${waiting} waiting${late}${missed}${fault}`
}

const older =
  'other than those of this version: everything is folded again as soon as Rampart runs, or by "npm run rampart rebuild"'
