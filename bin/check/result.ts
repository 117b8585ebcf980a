import { z } from 'zod'

/** What some checks came to. */
export const ResultSchema = z.object({
  passed: z.number(),
  failed: z.number(),
  /** What could not run on this machine, by name and with the reason. */
  skipped: z.array(z.string()),
})
export type Result = Readonly<z.infer<typeof ResultSchema>>

export const passedResult: Result = { passed: 1, failed: 0, skipped: [] }
export const failedResult: Result = { passed: 0, failed: 1, skipped: [] }
export const skippedResult = (name: string): Result => ({ passed: 0, failed: 0, skipped: [name] })

export function sumResults(results: readonly Result[]): Result {
  return {
    passed: results.reduce((sum, one) => sum + one.passed, 0),
    failed: results.reduce((sum, one) => sum + one.failed, 0),
    skipped: results.flatMap((one) => one.skipped),
  }
}

/** A run that broke off early skips hundreds. */
const mostNamed = 20

/** `2750 passed, 0 failed, 1 skipped: faults full (needs root to mount)` */
export function formatResult(result: Result): string {
  const counts = `${result.passed} passed, ${result.failed} failed`
  const { length } = result.skipped
  if (length === 0) return counts
  const named = result.skipped.slice(0, mostNamed).join('; ')
  return `${counts}, ${length} skipped: ${named}${length > mostNamed ? `; and ${length - mostNamed} more` : ''}`
}
