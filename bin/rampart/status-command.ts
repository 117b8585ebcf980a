import { openPool } from '#lib/db/pool.ts'
import { formatPlainDuration } from '#lib/labels/duration.ts'
import { findLostMonths, sayLost } from '#lib/projector/lost-months.ts'
import { readBacklog } from '#lib/projector/read-backlog.ts'
import { readUnsaidRestore, unsaidRestoreWords } from '#lib/restore/notice-restore.ts'
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
    const restored = await readUnsaidRestore(pool)
    if (restored) console.log(unsaidRestoreWords)
    const lost = await findLostMonths(pool)
    console.log(`log           ${lost.length === 0 ? 'whole' : 'not whole'}`)
    if (lost.length > 0) console.error(sayLost(lost))
    return active && deadLetters === 0 && !restored && lost.length === 0 ? 0 : 1
  } finally {
    await pool.end()
  }
}

const older =
  'other than those of this version: everything is folded again as soon as Rampart runs, or by "npm run rampart rebuild"'
