import { failedResult, passedResult, type Result, skippedResult, sumResults } from '../../bin/check/result.ts'
import { type DatabaseStage, openStage } from './databases/open-stage.ts'
import { lockedBehindPooler, throughSocket, wrongStarts } from './databases/poolers.ts'
import { rows } from './databases/rows.ts'
import { CannotRunHere } from './faults/test-bed.ts'

export const when =
  'connections, pools, what is done when the database fails, or how it is set changed; a quarter of an hour'

/** Rows that leave the stage's database unchanged come first. */
const all: Readonly<Record<string, (stage: DatabaseStage) => Promise<string>>> = {
  'Q5 Q8 Q10 wrong starts': wrongStarts,
  'Q7 socket': throughSocket,
  'Q4 lock, pooler': lockedBehindPooler,
  ...rows,
}

/**
 * The proof breaks the database of a whole Rampart under load, one row of findings after the other. Every acknowledged
 * delivery must be there once, and deliveries, folds and pages must recover.
 * @param words the beginnings of names of rows, all by default
 */
export default async function proveDatabases(words: string[]): Promise<Result> {
  const chosen = Object.entries(all).filter(
    ([name]) => words.length === 0 || words.some((word) => name.startsWith(word)),
  )
  const stage = await openStage()
  const results: Result[] = []
  try {
    for (const [name, row] of chosen) results.push(await runRow(name, () => row(stage)))
  } finally {
    await stage.close()
  }
  return sumResults(results)
}

async function runRow(name: string, row: () => Promise<string>): Promise<Result> {
  try {
    console.log(`${name}: ${await row()}`)
    return passedResult
  } catch (error) {
    if (error instanceof CannotRunHere) {
      console.log(`${name}: SKIPPED, ${error.message}`)
      return skippedResult(`databases ${name} (${error.message})`)
    }
    console.log(`${name}: FAILED, ${error instanceof Error ? error.message : error}`)
    return failedResult(`databases ${name}`, error)
  }
}
