import { z } from 'zod'
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

const ErrorSchema = z.object({ message: z.string().optional() })

const TestSchema = z.object({
  status: z.enum(['expected', 'unexpected', 'flaky', 'skipped']),
  annotations: z.array(z.object({ type: z.string(), description: z.string().optional() })),
  results: z.array(z.object({ error: ErrorSchema.optional(), duration: z.number() })),
})

const SuiteSchema = z.object({
  file: z.string(),
  specs: z.array(z.object({ title: z.string(), tests: z.array(TestSchema) })),
  get suites() {
    return z.array(SuiteSchema).optional()
  },
})

const ReportSchema = z.object({ suites: z.array(SuiteSchema), errors: z.array(ErrorSchema) })

/** Counts what Playwright's JSON reporter wrote. A test that did not run because another failed counts as skipped. */
export function readPlaywrightReport(json: unknown): Result {
  const { suites, errors } = ReportSchema.parse(json)
  return sumResults([
    ...suites.map(resultOf),
    ...suites.map((suite) => ({
      ...emptyResult,
      files: [{ file: `e2e/${suite.file}`, seconds: durationOf(suite) / 1_000 }],
    })),
    ...errors.map(({ message }) => failedResult(message ? firstLine(message) : 'an error outside tests')),
  ])
}

/** What tests noted as annotations of this type, each with the title of its test. */
export function readAnnotations(json: unknown, type: string): { title: string; noted: string }[] {
  const notedIn = ({
    specs,
    suites = [],
  }: z.infer<typeof SuiteSchema>): { title: string; noted: string }[] => [
    ...specs.flatMap(({ title, tests }) =>
      tests
        .flatMap(({ annotations }) => annotations)
        .flatMap((one) => (one.type === type ? [{ title, noted: one.description ?? '' }] : [])),
    ),
    ...suites.flatMap(notedIn),
  ]
  return ReportSchema.parse(json).suites.flatMap(notedIn)
}

function resultOf({ specs, suites = [] }: z.infer<typeof SuiteSchema>): Result {
  const own = specs.flatMap(({ title, tests }) => tests.map((test) => verdict(title, test)))
  return sumResults([...own, ...suites.map(resultOf)])
}

/** Milliseconds of all tries of all its tests. */
const durationOf = ({ specs, suites = [] }: z.infer<typeof SuiteSchema>): number =>
  [
    ...specs.flatMap(({ tests }) => tests.flatMap(({ results }) => results.map(({ duration }) => duration))),
    ...suites.map(durationOf),
  ].reduce((sum, one) => sum + one, 0)

function verdict(title: string, { status, annotations, results }: z.infer<typeof TestSchema>): Result {
  if (status === 'expected') return passedResult
  if (status === 'flaky') return unsteadyResult(title)
  if (status === 'unexpected') return failedResult(title, results[0]?.error?.message)
  const why = annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description
  return skippedResult(why ? `${title} (${why})` : title)
}
