import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { type FindOptions, findSubjects } from './find-subjects.ts'
import {
  type Found,
  type FoundPerson,
  type FoundSubject,
  foundNothing,
  type NearMiss,
  type Why,
} from './found.ts'
import { maskSearch } from './mask-search.ts'
import { readWanted, type Wanted } from './read-wanted.ts'
import { withFixedDay } from './rules/read-day.ts'
import { readLines } from './rules/read-lines.ts'
import { isSearchable, readQuery } from './rules/read-query.ts'
import { linesLabel } from './rules/understand.ts'
import type { DeadLink } from './search-link.ts'

/** The results of a search come with its link. */
export interface LinkedFound extends Found {
  /** The caller sees the text; it is masked for the role when it comes from somebody else's link. */
  readonly text: string
  /** The address of the page contains the link, which reveals nothing of the text. Null when there was nothing to search. */
  readonly link: string | null
  /** When several things were pasted at once, each line has its answer, and nothing else is found. */
  readonly lines: readonly FoundLine[] | null
}

/** The search takes a text, or a link; only a link can be dead. Throws as `readWanted` and `findSubjects` do. */
export function search(
  caller: Caller,
  wanted: { readonly text: string },
  options?: FindOptions,
): Promise<LinkedFound>
export function search(caller: Caller, wanted: Wanted, options?: FindOptions): Promise<LinkedFound | DeadLink>
export async function search(
  caller: Caller,
  wanted: Wanted,
  options: FindOptions = {},
): Promise<LinkedFound | DeadLink> {
  const now = Date.now()
  const fixDay = (text: string) => (readQuery(cleanText(text)).amount ? withFixedDay(text, now) : text)
  const read = await readWanted(caller, 'subjects', wanted, {
    isSearchable: (text) => isSearchable(readQuery(text)),
    pastedIn: readLines,
    fix: (text) => (readLines(text) ? text.replace(/[^\r\n]+/g, fixDay) : fixDay(text)),
  })
  if (read === null || read === 'erased') return read
  const { text, pasted, shown, link } = read
  const isOwn = shown === text
  if (pasted) {
    const found = await findLines(caller, pasted.lines)
    // The line itself says how it was understood.
    const masked = (line: FoundLine) => ({
      ...line,
      text: maskSearch(caller.role, cleanText(line.text)),
      explanation: '',
    })
    const lines = isOwn ? found : found.map(masked)
    return {
      ...foundNothing,
      explanation: linesLabel(pasted.lines.length, pasted.left),
      text: shown,
      link,
      lines,
    }
  }
  const { explanation, ...found } = await findSubjects(caller, text, options)
  return {
    ...found,
    explanation: isOwn ? explanation : 'The search of this link',
    text: shown,
    link,
    lines: null,
  }
}

export interface FoundLine {
  /** The pasted line is cleaned. */
  readonly text: string
  readonly explanation: string
  /** `one`: the line names this subject and no other; `several`: `subject` is the newest match. */
  readonly answer: 'one' | 'several' | 'person' | 'none' | 'not-understood'
  readonly subject: FoundSubject | null
  readonly why: Why | null
  readonly person: FoundPerson | null
  /** This many subjects match; null when there are more than are counted. */
  readonly count: number | null
  readonly near: NearMiss | null
  /** Nothing matches, and no suggestions were looked for, because there were too many e-mail addresses. */
  readonly nearNotSearched: boolean
}

/** Suggestions are looked up for this many e-mail addresses of a paste. */
const mostNearEmails = 10

/** This many lines are searched at the same time. */
const atOnce = 4

/** Each line is searched separately, in order; a line that occurs twice is searched once. */
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
    nearNotSearched: answer === 'none' && !nearEmails && isEmail(text),
  }
}

const nothing = {
  subject: null,
  why: null,
  person: null,
  count: 0,
  near: null,
  nearNotSearched: false,
} as const

const answerOf = (found: Found) => (countOf(found) === 1 ? 'one' : 'several')

function countOf({ named, rows, next, cut, total }: Found): number | null {
  const shown = named.length + rows.length
  if (next === null && !cut) return shown
  return total?.exact ? total.count + named.length : null
}
