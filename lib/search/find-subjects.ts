import 'server-only'
import { type Caller, type CallerWith, requirePermission } from '#lib/access/caller.ts'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { accountNumberKey, accountNumberPart } from '#lib/deliveries/rules/identifier.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { textParameter } from '#lib/platform/db/statements.ts'
import { pageOf, pageSize } from '#lib/platform/paging/paging.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { cursorAt, parseCursor } from '#lib/transactions/list-queries.ts'
import { isFiltered, type TransactionMatch } from '#lib/transactions/rules/transaction-filters.ts'
import { readStuckRule } from '#lib/transactions/usual-times.ts'
import { findNear } from './find-near.ts'
import { findEndpoints, findOwners, findPeople } from './find-people-and-endpoints.ts'
import { explainFound, type Found, type FoundPerson, type FoundSubject } from './found.ts'
import { newestOfAmount, newestOfValues, type SubjectPosition } from './newest-subjects.ts'
import { readAbsence, readSubjects } from './read-subjects.ts'
import { isIban } from './rules/iban.ts'
import { alsoBare, type Probe } from './rules/probes.ts'
import { isSearchable, type QueryReading, readIdInstead, readQuery } from './rules/read-query.ts'

/** With filters of the list, only transactions are found. */
export interface FindOptions extends TransactionMatch {
  /** The cursor is the `next` of a page of the same search. */
  readonly cursor?: string | undefined
  /** The limit is 1 to 200, by default 50. */
  readonly limit?: number | undefined
  /** Suggestions for an unknown e-mail address cost some 2,500 look-ups; true by default. */
  readonly nearEmails?: boolean
}

/**
 * The pasted text may be a whole id, its beginning, its end, or both, a whole account number, a user's e-mail
 * address, name or number, or an amount. A part of an account number or of a wallet finds it only for a role that
 * sees it whole, so that no search undoes the mask. Throws `NotAllowed` and `CursorRefused`.
 */
export async function findSubjects(caller: Caller, text: string, options: FindOptions = {}): Promise<Found> {
  requirePermission(caller, 'see-everything')
  const typed = cleanText(textParameter(text))
  const asId = readIdInstead(typed)
  if (asId !== null) {
    const find = (given: FindOptions) => findByReading(caller, typed, asId, given, { explained: false })
    // The first page decides for all pages, because a later one may be empty.
    const first = await find({ ...options, cursor: undefined })
    if ([first.named, first.rows, first.people].some(({ length }) => length > 0) || first.next)
      return options.cursor === undefined ? first : find(options)
  }
  return findByReading(caller, typed, readQuery(typed), options)
}

async function findByReading(
  caller: CallerWith<'see-everything'>,
  typed: CleanText,
  given: QueryReading,
  { cursor, limit: asked, nearEmails = true, ...filters }: FindOptions,
  /** When nothing is found, `explained` adds suggestions and reasons why data may be missing. */
  { explained } = { explained: true },
): Promise<Found> {
  const reading = { ...given, probes: alsoBare(given.probes) }
  const limit = pageSize(asked)
  const after = cursor === undefined ? null : parseCursor('started', cursor)
  const own = isFiltered(filters) ? [] : ownIds(reading)
  const stuck = await readStuckRule(filters)
  const page = { after, without: own, filters, stuck, limit: limit + 1 }
  const { people, cut: morePeople, isNumber } = await findPeople(caller, typed, reading)
  const wanted = wantedIds(caller.role, reading, people, isNumber)
  const newest = reading.amount ? newestOfAmount(reading.amount, page) : newestOfValues(wanted, page)
  const [{ positions, cut, scannedTo, total }, endpoints, owners] = await Promise.all([
    newest,
    after || !isSearchable(reading) ? [] : findEndpoints(caller, typed),
    after ? [] : findOwners(caller, reading),
  ])
  const { listed, next: further } = pageOf(positions, limit, cursorOf)
  const next = scannedTo ? cursorOf({ startedAt: scannedTo, subjectId: beforeAll }) : further
  const places = listed.map((place) => place.subjectId)
  const subjects = await readSubjects(caller.role, [...(after ? [] : own), ...places])
  const shown = (ids: readonly string[]) => ids.flatMap((id) => subjects.get(id) ?? [])
  const named = after ? [] : shown(own)
  const rows = shown(places)
  const found = [...named, ...rows]
  const none = [found, people, owners].every(({ length }) => length === 0) && after === null && next === null
  const nothing = none && explained && isSearchable(reading)
  const asksNear = nothing && (nearEmails || reading.email === undefined)
  const [why, near, absence] = await Promise.all([
    explainFound(caller.role, { reading, people, whole: wanted.whole, found }),
    asksNear && !(isFiltered(filters) && (await namesAnything(wanted))) ? findNear(caller.role, reading) : [],
    nothing ? readAbsence(caller) : null,
  ])
  return {
    explanation: reading.explanation,
    people: after ? [] : [...people, ...owners],
    endpoints,
    named,
    rows,
    why,
    exact: next || cut ? null : onlyMatch(found, reading),
    next,
    scannedTo: scannedTo?.toISOString() ?? null,
    total,
    cut: cut || morePeople,
    near,
    absence,
  }
}

/** The text names some subject, even if the filters leave none. */
async function namesAnything(wanted: ReturnType<typeof wantedIds>): Promise<boolean> {
  const { positions } = await newestOfValues(wanted, {
    after: null,
    without: [],
    filters: {},
    stuck: null,
    limit: 1,
  })
  return positions.length > 0
}

/** The cursor has the form of the list of transactions: both are sorted by the start. */
const cursorOf = ({ startedAt, subjectId }: SubjectPosition) =>
  cursorAt('started', { values: [startedAt.toISOString()], subjectId })

/** The space sorts before every id of a subject: a page from here has no subject of the same moment. */
const beforeAll = ' '

/** A whole uuid may be the id of these subjects. */
const ownIds = ({ probes }: QueryReading): string[] =>
  probes
    .filter(({ exact, prefix }) => exact && isLowerCaseUuid(prefix ?? ''))
    .flatMap(({ prefix }) => kindsById.map((kind) => subjectId({ kind, id: prefix ?? '' })))

const kindsById = ['transaction', 'bank-account', 'entity'] as const

/**
 * The ids of the named people are among those that are searched unchanged. A customer number is no account
 * number for a role that sees account numbers masked: searching for one is not limited (`limitAccountNumbers`).
 */
function wantedIds(
  role: StaffRole,
  { probes, accountNumber }: QueryReading,
  people: readonly FoundPerson[],
  isCustomerNumber: boolean,
) {
  const accountNumbers = visibilityOf(role, 'account-number') === 'plain'
  const isAsked = accountNumber !== undefined && (accountNumbers || !isCustomerNumber)
  const numbers = isAsked ? [accountNumber] : []
  const parts = probes.filter(({ exact }) => !exact)
  const ofNumbers = accountNumbers ? parts.map(partOfNumber) : []
  return {
    whole: [
      ...probes.flatMap((probe) => (probe.exact ? (probe.prefix ?? []) : [])),
      ...numbers.map(accountNumberKey),
      ...people.map(({ userUuid }) => userUuid),
    ],
    unmarked: numbers,
    parts: [...parts, ...ofNumbers],
    byPart: { accountNumbers, wallets: visibilityOf(role, 'wallet') === 'plain' },
  }
}

const partOfNumber = ({ prefix, suffix }: Probe): Probe => ({
  ...accountNumberPart(prefix, suffix),
  exact: false,
})

function onlyMatch(found: readonly FoundSubject[], { probes, accountNumber }: QueryReading): string | null {
  const [only, other] = found
  const namesOne = probes.some(namesOneSubject) || isIban(accountNumber ?? '')
  return only && !other && namesOne ? only.subjectId : null
}

/** A whole id names one subject; so do a head and a tail as we display them. */
const namesOneSubject = ({ exact, prefix, suffix }: Probe) => exact || (prefix !== null && suffix !== null)
