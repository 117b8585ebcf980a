import fs from 'node:fs'
import type { Reporter, TestCase, TestModule, TestRunEndReason } from 'vitest/node'
import { all, failed, passed, type Result, skipped } from './result.ts'

/** Names the file that the result goes to. */
export const reportVariable = 'RAMPART_TEST_REPORT'

/** Counts the tests for `npm test`; what was skipped, by name and with the reason that the test gave. */
export default class CountingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason) {
    const tests = all(modules.flatMap((module) => [...module.children.allTests()].map(resultOf)))
    // A file that cannot be loaded, or an error outside a test, fails the run without failing a test.
    const unseen = tests.failed === 0 && (reason !== 'passed' || errors.length > 0)
    fs.writeFileSync(process.env[reportVariable] ?? '', JSON.stringify(unseen ? all([tests, failed]) : tests))
  }
}

function resultOf(test: TestCase): Result {
  const result = test.result()
  if (result.state === 'passed') return passed
  if (result.state !== 'skipped') return failed
  return skipped(result.note ? `${test.fullName} (${result.note})` : test.fullName)
}
