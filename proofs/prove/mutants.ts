import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { MutantResult } from '@stryker-mutator/api/core'
import { Stryker } from '@stryker-mutator/core'
import { failedResult, passedResult, type Result, sumResults } from '../../bin/check/result.ts'

export const when = 'rules of the timeline, the retry schedule, CSV or access changed, or their unit tests'

/** The unit tests of rules must notice this share of each group's mutants, in percent. */
const groups = [
  { name: 'timeline', files: /^lib\/timeline\/rules\//, percent: 92 },
  {
    name: 'retry schedule and CSV',
    files:
      /^lib\/(deliveries\/rules\/(forecast-retries|retries-after-gap|retry-schedule)|platform\/rules\/csv)/,
    percent: 95,
  },
  { name: 'access', files: /^lib\/access\/rules\//, percent: 98 },
]

/**
 * Mutation testing changes one condition, operator or value after the other and runs the unit tests of rules against each
 * change. It prints every unnoticed change, and the score of each file and group.
 * @param words parts of file names, such as `type-order`: only these files are changed, and no group must reach its goal
 */
export default async function proveMutants(words: string[]): Promise<Result> {
  const files = fs
    .globSync('lib/*/rules/**/*.ts', { exclude: (file) => file.endsWith('.test.ts') })
    .filter((file) => groups.some((group) => group.files.test(file)))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-mutants-'))
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  const mutants = await new Stryker({
    mutate: files,
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'proofs/prove/mutants/vitest.config.ts' },
    ignorePatterns: ['.next', '.data', 'docs', 'test-results'],
    tempDirName: folder,
    reporters: ['progress-append-only'],
    concurrency: os.availableParallelism(),
    allowEmpty: true,
    disableTypeChecks: false,
  }).runMutationTest()
  for (const file of files) printFile(mutants.filter((mutant) => pathOf(mutant) === file))
  return sumResults(
    groups.flatMap((group) => {
      const score = scoreOf(mutants.filter((mutant) => group.files.test(pathOf(mutant))))
      if (score === null) return []
      const line = `${group.name}: ${score.toFixed(1)} % of the mutants were noticed, the goal is ${group.percent} %`
      console.log(line)
      return [words.length > 0 || score >= group.percent ? passedResult : failedResult(line)]
    }),
  )
}

const pathOf = (mutant: MutantResult) => path.relative('.', mutant.fileName)

function printFile(mutants: readonly MutantResult[]) {
  const score = scoreOf(mutants)
  const [first] = mutants
  if (score === null || first === undefined) return
  for (const { status, location, replacement, fileName } of mutants) {
    if (status !== 'Survived' && status !== 'NoCoverage') continue
    const place = `${path.relative('.', fileName)}:${location.start.line}:${location.start.column}`
    console.log(`${place} ${status}: ${original(fileName, location)} -> ${replacement}`)
  }
  console.log(`${pathOf(first)}: ${score.toFixed(1)} % of ${mutants.length}`)
}

/** The share is in percent, without the mutants that do not compile, and null where there is none. */
function scoreOf(mutants: readonly MutantResult[]): number | null {
  const tried = mutants.filter(({ status }) => status !== 'CompileError' && status !== 'Ignored')
  const noticed = tried.filter(({ status }) => status === 'Killed' || status === 'Timeout')
  return tried.length === 0 ? null : (100 * noticed.length) / tried.length
}

/** The text is the source that a mutant replaced, on one line. */
function original(fileName: string, { start, end }: MutantResult['location']): string {
  const lines = fs
    .readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line)
  const text = lines.map((line, index) =>
    line.slice(index === 0 ? start.column - 1 : 0, index === lines.length - 1 ? end.column - 1 : undefined),
  )
  return text.join(' ').replace(/\s+/g, ' ').slice(0, 120)
}
