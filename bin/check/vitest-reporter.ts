import fs from 'node:fs'
import type { Reporter, TestCase, TestModule, TestRunEndReason } from 'vitest/node'
import { failedResult, passedResult, type Result, skippedResult, sumResults } from './result.ts'

/** Names the file that the result goes to. */
export const reportVariable = 'RAMPART_TEST_REPORT'

/** Counts the tests for `npm test`; what was skipped, by name and with the reason that the test gave. */
export default class CountingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason) {
    const tests = sumResults(modules.flatMap((module) => [...module.children.allTests()].map(resultOf)))
    // A file that cannot be loaded, or an error outside a test, fails the run without failing a test.
    const unseen = tests.failed === 0 && (reason !== 'passed' || errors.length > 0)
    fs.writeFileSync(
      process.env[reportVariable] ?? '',
      JSON.stringify(unseen ? sumResults([tests, failedResult]) : tests),
    )
  }
}

function resultOf(test: TestCase): Result {
  const result = test.result()
  if (result.state === 'passed') return passedResult
  if (result.state !== 'skipped') return failedResult
  return skippedResult(result.note ? `${test.fullName} (${result.note})` : test.fullName)
}
