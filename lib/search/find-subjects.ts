import 'server-only'
import { textParameter } from '#lib/db/text-parameter.ts'
import { subjectId } from '#lib/domain/delivery/subject.ts'
import { type Probe, type QueryReading, readQuery } from '#lib/domain/search/read-query.ts'
import { isLowerCaseUuid } from '#lib/domain/text/uuid.ts'
import { pageOf } from '#lib/paging/page-of.ts'
import { pageSize } from '#lib/paging/page-size.ts'
import type { Caller } from '#lib/request/caller.ts'
import { visibleTo } from '#lib/request/visible-to.ts'
import { cursorAt, parseCursor } from '#lib/transactions/cursor.ts'
import { findPeople } from './find-people.ts'
import type { Found, FoundPerson, FoundSubject } from './found.ts'
import { newestOfOwner, newestOfValues, type SubjectPosition } from './newest-subjects.ts'
import { readSubjects } from './read-subjects.ts'

export interface FindOptions {
  /** `next` of a page of the same search. */
  readonly cursor?: string | undefined
  /** 1 to 200, 50 by default. */
  readonly limit?: number | undefined
}

/**
 * Looks for whatever was pasted: a whole id, its beginning, its end, or both, or a user's e-mail. Only among what the
 * caller may see. Throws `NotAllowed` and `CursorRefused`.
 */
export async function findSubjects(
  caller: Caller,
  text: string,
  { cursor, limit: asked }: FindOptions = {},
): Promise<Found> {
  const owner = visibleTo(caller)
  const reading = readQuery(textParameter(text))
  const limit = pageSize(asked)
  const after = cursor === undefined ? null : parseCursor('started', cursor)
  const own = ownIds(reading)
  const page = { after, without: own, limit: limit + 1 }
  const people = owner === null ? await findPeople(caller, text, reading) : []
  const wanted = { whole: wholeValues(reading, people), parts: reading.probes.filter(({ exact }) => !exact) }
  const { positions, cut, total } = await (owner === null
    ? newestOfValues(wanted, page)
    : newestOfOwner(owner, wanted, page))
  const { listed, next } = pageOf(positions, limit, cursorOf)
  const subjects = await readSubjects(
    [...(after ? [] : own), ...listed.map((place) => place.subjectId)],
    owner,
  )
  const shown = (ids: readonly string[]) => ids.flatMap((id) => subjects.get(id) ?? [])
  const named = after ? [] : shown(own)
  const rows = shown(listed.map((place) => place.subjectId))
  return {
    explanation: reading.explanation,
    people: after ? [] : people,
    named,
    rows,
    exact: next || cut ? null : onlyMatch([...named, ...rows], reading),
    next,
    total,
    cut,
  }
}

/** A cursor as the list of transactions has it: both go by the time of the start. */
const cursorOf = ({ startedAt, subjectId }: SubjectPosition) =>
  cursorAt('started', { values: [startedAt.toISOString()], subjectId })

/** The subjects that a whole uuid may be the id of. */
const ownIds = ({ probes }: QueryReading): string[] =>
  probes
    .filter(({ exact, prefix }) => exact && isLowerCaseUuid(prefix ?? ''))
    .flatMap(({ prefix }) => kindsById.map((kind) => subjectId({ kind, id: prefix ?? '' })))

const kindsById = ['transaction', 'bank-account', 'entity'] as const

/** Ids to be found as they are, those of the people who were named among them. */
const wholeValues = ({ probes }: QueryReading, people: readonly FoundPerson[]): string[] => [
  ...probes.flatMap((probe) => (probe.exact ? (probe.prefix ?? []) : [])),
  ...people.map(({ userUuid }) => userUuid),
]

function onlyMatch(found: readonly FoundSubject[], { probes }: QueryReading): string | null {
  const [only, other] = found
  return only && !other && probes.some(namesOneSubject) ? only.subjectId : null
}

/** A whole id, or head and tail as we display it. */
const namesOneSubject = ({ exact, prefix, suffix }: Probe) => exact || (prefix !== null && suffix !== null)
