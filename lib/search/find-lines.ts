import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { ownValue } from '#lib/platform/rules/own-value.ts'
import type { CleanText } from '#lib/platform/rules/pasted-text.ts'
import { findSubjects } from './find-subjects.ts'
import type { Found, FoundPerson, FoundSubject, NearMiss, Why } from './found.ts'
import { isSearchable, readQuery } from './rules/read-query.ts'

/** The answer to one line of a paste. */
export interface FoundLine {
  /** The line that was pasted, cleaned. */
  readonly text: string
  readonly explanation: string
  /** `one`: the line names this subject and no other; `several`: `subject` is the newest of those that match. */
  readonly answer: 'one' | 'several' | 'person' | 'none' | 'not-understood'
  readonly subject: FoundSubject | null
  readonly why: Why | null
  readonly person: FoundPerson | null
  /** How many subjects match; null for more than are counted. */
  readonly count: number | null
  readonly near: NearMiss | null
  /** Nothing is named so, and what may have been meant was not looked for: there were too many e-mail addresses. */
  readonly nearNotLookedFor: boolean
}

/** Most e-mail addresses of a paste for which those that may have been meant are looked up. */
const mostNearEmails = 10

/** Lines that are looked for at the same time. */
const atOnce = 4

/** Looks for each line by itself, in their order; a line that occurs twice is looked for once. */
export async function findLines(caller: Caller, lines: readonly CleanText[]): Promise<FoundLine[]> {
  const answers = new Map<string, FoundLine>()
  const waiting = [...new Set(lines)]
  const emails = waiting.filter(isEmail).length
  const nearEmails = emails <= mostNearEmails || visibilityOf(caller.role, 'person') !== 'plain'
  const work = async () => {
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift())
      answers.set(text, await findLine(caller, text, nearEmails))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return lines.flatMap((line) => answers.get(line) ?? [])
}

const isEmail = (line: CleanText) => readQuery(line).email !== undefined

async function findLine(caller: Caller, text: CleanText, nearEmails: boolean): Promise<FoundLine> {
  const reading = readQuery(text)
  if (!isSearchable(reading))
    return { ...nothing, text, explanation: reading.explanation, answer: 'not-understood' }
  const found = await findSubjects(caller, text, { limit: 1, nearEmails })
  const subject = found.named[0] ?? found.rows[0] ?? null
  const person = found.people[0] ?? null
  const answer = subject ? answerOf(found) : person ? 'person' : 'none'
  return {
    text,
    explanation: found.explanation,
    answer,
    subject,
    why: (subject && ownValue(found.why, subject.subjectId)) ?? null,
    person,
    count: countOf(found),
    near: found.near[0] ?? null,
    nearNotLookedFor: answer === 'none' && !nearEmails && isEmail(text),
  }
}

const nothing = {
  subject: null,
  why: null,
  person: null,
  count: 0,
  near: null,
  nearNotLookedFor: false,
} as const

const answerOf = (found: Found) => (countOf(found) === 1 ? 'one' : 'several')

function countOf({ named, rows, next, cut, total }: Found): number | null {
  const shown = named.length + rows.length
  if (next === null && !cut) return shown
  return total?.exact ? total.count + named.length : null
}
