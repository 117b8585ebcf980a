import fs from 'node:fs'
import type { Reporter, TestCase, TestModule, TestRunEndReason } from 'vitest/node'
import {
  emptyResult,
  failedResult,
  firstLine,
  passedResult,
  type Result,
  skippedResult,
  sumResults,
  unsteadyResult,
} from './result.ts'

/** The variable names the file for the result. */
export const reportVariable = 'RAMPART_TEST_REPORT'

/**
 * The reporter counts the tests for `npm test`. It names what failed, was skipped or passed at the second try, with the
 * reason.
 */
export default class CountingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason) {
    const tests = sumResults(
      modules.flatMap((module) => [...[...module.children.allTests()].map(resultOf), timesOf(module)]),
    )
    // A file that cannot be loaded, or an error outside a test, fails the run without failing a test.
    const unseen = tests.failed.length === 0 && (reason !== 'passed' || errors.length > 0)
    const [error] = [...modules.flatMap((module) => module.errors()), ...errors]
    const outside = failedResult(error ? firstLine(messageOf(error)) : `the run: ${reason}`)
    fs.writeFileSync(
      process.env[reportVariable] ?? '',
      JSON.stringify(unseen ? sumResults([tests, outside]) : tests),
    )
  }
}

/** The milliseconds of a file cover its imports, its set-up and its tests. */
const timesOf = (module: TestModule): Result => {
  const { collectDuration, setupDuration, duration } = module.diagnostic()
  const seconds = (collectDuration + setupDuration + duration) / 1_000
  return { ...emptyResult, files: [{ file: module.relativeModuleId, seconds }] }
}

function resultOf(test: TestCase): Result {
  const name = `${test.module.relativeModuleId}: ${test.fullName}`
  const result = test.result()
  if (result.state === 'passed') return test.diagnostic()?.flaky ? unsteadyResult(name) : passedResult
  if (result.state === 'skipped')
    return skippedResult(result.note ? `${test.fullName} (${result.note})` : test.fullName)
  const [error] = result.errors ?? []
  return failedResult(name, error && messageOf(error))
}

const messageOf = (error: unknown): string =>
  error instanceof Object && 'message' in error ? String(error.message) : String(error)
