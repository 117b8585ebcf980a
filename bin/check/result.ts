import fs from 'node:fs'
import { inspect, stripVTControlCharacters } from 'node:util'
import { z } from 'zod'

/** A result counts some checks. */
export const ResultSchema = z.object({
  passed: z.number(),
  /** Failed checks are listed by name with the first line of their error, where it is known. */
  failed: z.array(z.string()),
  /** The whole messages of errors, also of a first try, each with the name of its check. */
  messages: z.array(z.string()),
  /** Checks that could not run on this machine are listed by name with the reason. */
  skipped: z.array(z.string()),
  /** Checks that passed only at the second try are listed by name. */
  unsteady: z.array(z.string()),
  /** Each test file has the seconds that its tests took. */
  files: z.array(z.object({ file: z.string(), seconds: z.number() })),
})
export type Result = Readonly<z.infer<typeof ResultSchema>>

export const emptyResult: Result = {
  passed: 0,
  failed: [],
  messages: [],
  skipped: [],
  unsteady: [],
  files: [],
}
export const passedResult: Result = { ...emptyResult, passed: 1 }
/** @param error An error is shown with its stack and its causes, and a text as it is. */
export function failedResult(name: string, error?: unknown): Result {
  if (error === undefined || error === '') return { ...emptyResult, failed: [name] }
  const message = stripVTControlCharacters(typeof error === 'string' ? error : inspect(error)).trim()
  return {
    ...emptyResult,
    failed: [`${name} (${firstLine(message)})`],
    messages: [`${name}\n${message.slice(0, longestMessage)}`],
  }
}
export const skippedResult = (name: string): Result => ({ ...emptyResult, skipped: [name] })
/** @param message says what failed at the first try. */
export const unsteadyResult = (name: string, message?: string): Result => ({
  ...passedResult,
  messages: message ? failedResult(name, message).messages : [],
  unsteady: [name],
})

export function sumResults(results: readonly Result[]): Result {
  return {
    passed: results.reduce((sum, one) => sum + one.passed, 0),
    failed: results.flatMap((one) => one.failed),
    messages: results.flatMap((one) => one.messages),
    skipped: results.flatMap((one) => one.skipped),
    unsteady: results.flatMap((one) => one.unsteady),
    files: results.flatMap((one) => one.files),
  }
}

/** A run that ended early skips hundreds. */
const mostNamed = 20

/** More unsteady tests than this are a fault of their own. */
const mostUnsteady = 3

export const isGood = ({ failed, unsteady }: Result): boolean =>
  failed.length === 0 && unsteady.length <= mostUnsteady

/** The text looks like `2750 passed, 0 failed, 1 skipped: faults full (needs root to mount)`. */
export const formatResult = ({ passed, failed, skipped, unsteady }: Result): string =>
  [
    `${passed} passed`,
    ...(failed.length > 0 ? named(failed, 'failed') : ['0 failed']),
    ...named(skipped, 'skipped'),
    ...named(unsteady, 'at the second try'),
  ].join(', ')

function named(names: readonly string[], what: string): string[] {
  if (names.length === 0) return []
  const rest = names.length > mostNamed ? [`and ${names.length - mostNamed} more`] : []
  return [`${names.length} ${what}: ${[...names.slice(0, mostNamed), ...rest].join('; ')}`]
}

/** A message may quote whole pages and logs. */
const longestMessage = 6_000

/** The whole messages of what failed at a first try, one after the other. */
export const formatMessages = ({ messages }: Result): string => messages.slice(0, mostNamed).join('\n\n')

/** The first line of an error's message, without colours, is enough to know the check. */
export const firstLine = (message: string): string =>
  stripVTControlCharacters(message).trim().split('\n', 1)[0]?.slice(0, 200) ?? ''

const ErrorSchema = z.object({ message: z.string().optional() })

const TestSchema = z.object({
  status: z.enum(['expected', 'unexpected', 'flaky', 'skipped']),
  annotations: z.array(z.object({ type: z.string(), description: z.string().optional() })),
  results: z.array(
    z.object({
      error: ErrorSchema.optional(),
      duration: z.number(),
      attachments: z.array(z.object({ name: z.string(), path: z.string().optional() })).optional(),
    }),
  ),
})

const SuiteSchema = z.object({
  file: z.string(),
  specs: z.array(z.object({ title: z.string(), tests: z.array(TestSchema) })),
  get suites() {
    return z.array(SuiteSchema).optional()
  },
})

const ReportSchema = z.object({ suites: z.array(SuiteSchema), errors: z.array(ErrorSchema) })

/**
 * The function counts what Playwright's JSON reporter wrote. A test that did not run because another failed counts as
 * skipped.
 */
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

/** Tests noted these texts as annotations of one type. Each comes with the title of its test. */
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

/** The sum is the milliseconds of all tries of all tests. */
const durationOf = ({ specs, suites = [] }: z.infer<typeof SuiteSchema>): number =>
  [
    ...specs.flatMap(({ tests }) => tests.flatMap(({ results }) => results.map(({ duration }) => duration))),
    ...suites.map(durationOf),
  ].reduce((sum, one) => sum + one, 0)

function verdict(title: string, { status, annotations, results }: z.infer<typeof TestSchema>): Result {
  if (status === 'expected') return passedResult
  const [first] = results
  if (status === 'flaky') return unsteadyResult(title, first && messageOf(first))
  if (status === 'unexpected') return failedResult(title, first && messageOf(first))
  const why = annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description
  return skippedResult(why ? `${title} (${why})` : title)
}

/** The error's message is followed by the page as it was then, which Playwright wrote into a file. */
function messageOf({
  error,
  attachments = [],
}: z.infer<typeof TestSchema>['results'][number]): string | undefined {
  const context = attachments.find(({ name }) => name === 'error-context')?.path
  if (error?.message === undefined || context === undefined || !fs.existsSync(context)) return error?.message
  const [, page] = /^```yaml$(.*?)^```$/ms.exec(fs.readFileSync(context, 'utf8')) ?? []
  return `${error.message}${page ? `\n\nThe page was:${page}` : ''}`
}
