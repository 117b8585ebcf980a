import { expect, test } from 'vitest'
import { CannotRunHere } from '../prove/faults/test-bed.ts'
import { openDocumentsStage } from './stage.ts'
import { walkPages } from './walk.ts'

test('an operator who runs the commands of each page gets what it says', { timeout: 600_000 }, async ({
  skip,
}) => {
  const stage = await openDocumentsStage(process.cwd()).catch((error: unknown) => {
    if (error instanceof CannotRunHere) return error
    throw error
  })
  if (stage instanceof CannotRunHere) return skip(stage.message)
  try {
    expect(await walkPages(stage, ['test'])).toBeGreaterThan(6)
  } finally {
    await stage.close()
  }
})
