import { z } from 'zod'
import { all, failed, passed, type Result, skipped } from './result.ts'

const TestSchema = z.object({
  status: z.enum(['expected', 'unexpected', 'flaky', 'skipped']),
  annotations: z.array(z.object({ type: z.string(), description: z.string().optional() })),
})

const SuiteSchema = z.object({
  specs: z.array(z.object({ title: z.string(), tests: z.array(TestSchema) })),
  get suites() {
    return z.array(SuiteSchema).optional()
  },
})

const ReportSchema = z.object({ suites: z.array(SuiteSchema), errors: z.array(z.unknown()) })

/** Counts what Playwright's JSON reporter wrote. A test that did not run because another failed counts as skipped. */
export function readPlaywrightReport(json: unknown): Result {
  const { suites, errors } = ReportSchema.parse(json)
  return all([...suites.map(resultOf), ...errors.map(() => failed)])
}

function resultOf({ specs, suites = [] }: z.infer<typeof SuiteSchema>): Result {
  const own = specs.flatMap(({ title, tests }) => tests.map((test) => verdict(title, test)))
  return all([...own, ...suites.map(resultOf)])
}

function verdict(title: string, { status, annotations }: z.infer<typeof TestSchema>): Result {
  if (status === 'expected') return passed
  if (status !== 'skipped') return failed
  const why = annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description
  return skipped(why ? `${title} (${why})` : title)
}
