import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import type { Role, StaffRole } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { emailKey, fullName, spelledTerms, toTerm, withDot } from '#lib/identity/users/person-texts.ts'
import { pool } from '#lib/platform/db/pool.ts'
import {
  countUpTo,
  decodePlace,
  encodePlace,
  pageOf,
  pageSize,
  type Total,
} from '#lib/platform/paging/paging.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'
import { type Language, languageOfCountry } from '#lib/platform/rules/language.ts'
import { findEmailAddress, withoutMarks } from '#lib/platform/rules/mail-address.ts'
import { type CleanText, cleanText } from '#lib/platform/rules/pasted-text.ts'
import { readWanted } from '#lib/search/read-wanted.ts'
import { longestPaste } from '#lib/search/rules/limits.ts'
import { exactly, type Probe } from '#lib/search/rules/probes.ts'
import { readLines } from '#lib/search/rules/read-lines.ts'
import { readQuery } from '#lib/search/rules/read-query.ts'
import type { DeadLink } from '#lib/search/search-link.ts'
import { unionAll } from '#lib/transactions/row-condition.ts'
import { readBounces } from './bounces.ts'
import {
  doubtKey,
  readDoubts,
  readStandingsOf,
  type StandingDoubt,
  type StandingView,
} from './standings/standings.ts'

const ListPeopleSchema = z.object({
  /** `q` is an e-mail address, a name, a customer number, a wallet or a uuid, the beginning of one, or a list of them. */
  q: z.string().max(longestPaste).optional(),
  /** `cursor` is `next` of a page of the same search. */
  cursor: z.string().max(2_000).optional(),
})

interface PeopleFilters extends z.output<typeof ListPeopleSchema> {
  /** A page has 1 to 200 people, 50 by default. */
  readonly limit?: number
}

interface PeoplePage {
  /** The newest people of the directory come first. */
  readonly rows: readonly PersonView[]
  readonly next: string | null
  /** `total` counts all people; null for a search. */
  readonly total: Total | null
  /** More people match, or more lines were pasted, than a search reads, so others may be missing here. */
  readonly cut: boolean
}

/** One search reads this many terms. */
const mostTerms = 5_000

/**
 * The directory lists people; without a search it leaves the team out. Roles that see people masked find them only
 * by whole terms, because parts would undo the mask. Throws `NotAllowed` and `CursorRefused`.
 */
export async function listPeople(caller: Caller, filters: PeopleFilters = {}): Promise<PeoplePage> {
  requirePermission(caller, 'see-everything')
  const limit = pageSize(filters.limit)
  const text = cleanText(filters.q ?? '')
  const pasted = readLines(text)
  const wanted = [text, ...(pasted?.lines ?? [])].flatMap(wantedIn)
  const ranges = rangesOf(wanted, seesWho(caller.role))
  const searching = ranges.length > 0
  const { rows } = await pool().query<PersonRow & { cut: boolean }>(searching ? foundBy(ranges) : LISTED, [
    limit + 1,
    ...decodePlace(filters.cursor),
    ...(searching ? [mostTerms, ...ranges.flat()] : []),
  ])
  const { listed, next } = pageOf(rows, limit, cursorOf)
  const subjects = listed.map(({ user_uuid }) => entityOf(user_uuid))
  const [doubts, standings] = await Promise.all([
    readDoubts(subjects),
    readStandingsOf(caller.role, subjects).then(withoutPastBounces),
  ])
  return {
    rows: listed.map((row) => ({
      ...toPersonView(row, caller.role),
      doubt: doubts.get(doubtKey(entityOf(row.user_uuid), 'KYC')) ?? null,
      standings: standings.get(entityOf(row.user_uuid)) ?? [],
    })),
    next,
    total: searching
      ? null
      : await countUpTo((most) => ({
          sql: `SELECT FROM person WHERE ${IS_NO_MEMBER} LIMIT ${most}`,
          values: [],
        })),
    cut: rows.some(({ cut }) => cut) || (pasted?.left ?? 0) > 0,
  }
}

/** A bounce says nothing of a person any more once it is over. */
async function withoutPastBounces(bySubject: ReadonlyMap<string, readonly StandingView[]>) {
  const isBounce = ({ type }: StandingView) => type === 'otpNotification'
  const all = [...bySubject.values()].flat()
  const bounces = await readBounces(all.filter(isBounce).map(({ id }) => id))
  const present = all.filter((one) => !isBounce(one) || bounces.get(one.id)?.lasts)
  return Map.groupBy(present, ({ subjectId: id }) => id)
}

/** People are looked up by the text, by an e-mail address in it, and by all that the search reads in it. */
function wantedIn(text: CleanText): readonly Probe[] {
  const { probes, name, customerNumber, accountNumber } = readQuery(text)
  const email = findEmailAddress(text)
  const emails = email === null ? [] : [email, withoutMarks(email)].map(emailKey)
  return [
    ...[text, name ?? [], emails].flat().map((prefix) => ({ prefix, suffix: null, exact: false })),
    // Many ids begin with a short number.
    ...[customerNumber ?? [], accountNumber ?? []].flat().map(exactly),
    ...probes,
  ]
}

/** The terms from one to another are found, if they end with the tail. */
type TermRange = readonly [from: string, to: string, tail: string]

/** A tail narrows no shorter beginning, as all terms that begin alike are read for it. */
const shortestHead = 4

/** No term is found by its end alone. */
function rangesOf(wanted: readonly Probe[], sees: boolean): readonly TermRange[] {
  const ranges = wanted.flatMap(({ prefix, suffix, exact }) => {
    if (prefix === null) return []
    if (suffix !== null && (!sees || prefix.replace(/^0x/, '').length < shortestHead)) return []
    return (sees ? [prefix] : withDot(prefix))
      .flatMap(spelledTerms)
      .map((term): TermRange => [term, exact || !sees ? term : `${term}${last}`, toTerm(suffix ?? '')])
  })
  return [...new Map(ranges.map((range) => [range.join(' '), range])).values()]
}

const entityOf = (id: string) => subjectId({ kind: 'entity', id })

/**
 * This is the last character that exists. Texts with a beginning lie between it and the beginning followed by this
 * (`COLLATE "C"`).
 */
const last = '\u{10ffff}'

const cursorOf = ({ created_at, user_uuid }: PersonRow) => encodePlace(created_at, user_uuid)

/** The cursor is as exact as the column. */
const BEYOND =
  '($2::timestamptz IS NULL OR (person.created_at, person.user_uuid) < ($2::timestamptz, $3::uuid))'

/** A member is no customer. A search finds members all the same. */
const IS_NO_MEMBER =
  'NOT EXISTS (SELECT FROM member WHERE member.user_uuid = person.user_uuid AND removed_at IS NULL)'

/** `PersonView` is a person for a list. Names and addresses are masked for roles that may not see them. */
export interface PersonView {
  readonly userUuid: string
  readonly email: string | null
  readonly name: string | null
  readonly customerNumber: string | null
  /** The status is the service's own word, such as `FULL_USER`, when it was last asked (`statusAt`, ISO 8601). */
  readonly status: string | null
  readonly statusAt: string
  /** The country is ISO 3166-1 alpha-2. */
  readonly country: string | null
  /** The directory first knew the person at this time (ISO 8601). */
  readonly since: string
  /** The directory shows this doubt about the verification in the events. */
  readonly doubt?: StandingDoubt | null
  /**
   * The directory shows the latest standing of each type that the role may know of, newest first, without a bounce that is
   * over.
   */
  readonly standings?: readonly StandingView[]
}

export interface PersonRow {
  readonly user_uuid: string
  readonly email: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly customer_number: string | null
  readonly status: string | null
  readonly country: string | null
  readonly created_at: Date
  /** The service gave the status at this time. Rows from before version 0.2 may have a later time. */
  readonly updated_at: Date
}

export const personColumns = `person.user_uuid, person.email, person.first_name, person.last_name, person.customer_number,
  person.status, person.country, person.created_at, person.updated_at`

export const toPersonView = (row: PersonRow, role: StaffRole): PersonView =>
  showRecord(role, 'person', {
    userUuid: row.user_uuid,
    email: row.email,
    name: fullName(row),
    customerNumber: row.customer_number,
    status: row.status,
    statusAt: row.updated_at.toISOString(),
    country: row.country,
    since: row.created_at.toISOString(),
  })

/** The role sees who somebody is. */
const seesWho = (role: Role): boolean => visibilityOf(role, 'person') === 'plain'

/** The country in the directory suggests the person's language; null when it says nothing. Throws `NotAllowed`. */
export async function readPersonLanguage(caller: Caller, userUuid: string | null): Promise<Language | null> {
  requirePermission(caller, 'see-everything')
  if (userUuid === null || !isUuid(userUuid)) return null
  const { rows } = await pool().query<{ country: string | null }>(
    'SELECT country FROM person WHERE user_uuid = $1',
    [userUuid],
  )
  return languageOfCountry(rows[0]?.country ?? null)
}

const LISTED = `
  SELECT ${personColumns}, false AS cut FROM person WHERE ${BEYOND} AND ${IS_NO_MEMBER}
  ORDER BY person.created_at DESC, person.user_uuid DESC LIMIT $1`

/** Each range is read on its own, so that the planner sees how few people it finds. */
const foundBy = (ranges: readonly TermRange[]) => `
  WITH looked AS MATERIALIZED (${unionAll(
    ranges.map((_, nth) => {
      const [from, to, tail] = [5, 6, 7].map((place) => `$${3 * nth + place}`)
      return `(SELECT user_uuid, ${nth} AS nth FROM person_term WHERE term >= ${from} AND term <= ${to}
        AND (${tail} = '' OR right(term, length(${tail})) = ${tail}) ORDER BY term LIMIT $4)`
    }),
  )})
  SELECT ${personColumns}, EXISTS (SELECT FROM looked GROUP BY nth HAVING count(*) >= $4) AS cut
  FROM person WHERE user_uuid IN (SELECT user_uuid FROM looked) AND ${BEYOND}
  ORDER BY person.created_at DESC, person.user_uuid DESC LIMIT $1`

/** The search has a text, or a link for one; without both it lists everybody. */
export const SearchPeopleSchema = ListPeopleSchema.extend({ link: z.uuid().optional() })

/** A page of the directory knows its own link. */
export interface LinkedPeople extends PeoplePage {
  /** The text was searched for; somebody else's link gives it masked as the caller's role requires. */
  readonly text: string
  /** The address of the page holds this link; null for everybody. */
  readonly link: string | null
}

/**
 * The list has everybody, or the people whom a search finds. Only a link can be dead. Throws as `readWanted` and
 * `listPeople` do.
 */
export async function searchPeople(
  caller: Caller,
  { q = '', link, cursor }: z.output<typeof SearchPeopleSchema>,
): Promise<LinkedPeople | DeadLink> {
  if (link === undefined && q.trim() === '')
    return { ...(await listPeople(caller, { cursor })), text: '', link: null }
  const read = await readWanted(caller, 'people', link === undefined ? { text: q } : { link }, {
    isSearchable: () => true,
    pastedIn: readLines,
  })
  if (read === null || read === 'erased') return read
  const { text, shown } = read
  return { ...(await listPeople(caller, { q: text, cursor })), text: shown, link: read.link }
}
