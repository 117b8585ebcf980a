import 'server-only'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import { isCompanyType } from '#lib/deliveries/rules/event-types.ts'
import { listWallets, type WalletsView } from '#lib/identity/users/list-wallets.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import type { FoundSubject } from '#lib/search/found.ts'
import { listAccountsOfPerson } from './list-accounts-of-person.ts'
import { noteReading } from './note-reading.ts'
import { type PersonRow, type PersonView, personColumns, toPersonView } from './person-view.ts'
import { type ProfileView, readProfile } from './read-profile.ts'
import { readSignInHelp, type SignInHelp } from './read-sign-in-help.ts'
import { readStandings } from './standings/read-standings.ts'
import type { StandingView } from './standings/standing-view.ts'

/** Everything about one person or company that its page shows beside the transactions and the timeline. */
export interface PersonDetailsView extends WalletsView {
  readonly userUuid: string
  /** No user of the service, and people or events speak of it as a company. */
  readonly isCompany: boolean
  /** What the directory holds; null for a company, and for whom the service would not name. */
  readonly person: PersonView | null
  readonly profile: ProfileView
  readonly accounts: readonly FoundSubject[]
  /** What was last said of the person or company itself, by type, newest first. */
  readonly standings: readonly StandingView[]
  /** Of a person, the companies; of a company, its people, newest first and at most 100. */
  readonly companies: readonly string[]
  readonly people: readonly PersonView[]
  readonly signIn: SignInHelp | null
}

/**
 * One person's page; null for a uuid that neither the directory nor any event knows. That it was read is written down.
 * Throws `NotAllowed`.
 */
export async function getPerson(
  caller: Caller,
  userUuid: string,
  source: CallSource,
): Promise<PersonDetailsView | null> {
  requirePermission(caller, 'see-everything')
  if (!isLowerCaseUuid(userUuid)) return null
  const [row, people, known] = await Promise.all([
    findRow(userUuid),
    listPeopleOf(userUuid),
    isNamedByEvents(userUuid),
  ])
  if (!row && !known && people.length === 0) return null
  await noteReading(caller, userUuid, source)
  const profile = await readProfile(userUuid, caller.role)
  const [fresh, wallets, accounts, standings, signIn] = await Promise.all([
    profile.kind === 'read' ? findRow(userUuid) : row,
    listWallets(caller.role, userUuid),
    listAccountsOfPerson(caller.role, userUuid),
    readStandings(caller.role, userUuid),
    readSignInHelp(caller.role, userUuid),
  ])
  return {
    userUuid,
    isCompany: !fresh && (people.length > 0 || standings.some(({ type }) => isCompanyType(type))),
    person: fresh && toPersonView(fresh, caller.role),
    profile,
    ...wallets,
    accounts,
    standings,
    ...showRecord(caller.role, 'person', { companies: fresh?.linked_corporates ?? [] }),
    people: people.map((one) => toPersonView(one, caller.role)),
    signIn: fresh ? signIn : null,
  }
}

interface LinkedRow extends PersonRow {
  readonly linked_corporates: string[] | null
}

const findRow = async (userUuid: string): Promise<LinkedRow | null> =>
  (await pool().query<LinkedRow>(PERSON, [userUuid])).rows[0] ?? null

const listPeopleOf = async (company: string): Promise<PersonRow[]> =>
  (await pool().query<PersonRow>(PEOPLE_OF, [company])).rows

const isNamedByEvents = async (userUuid: string): Promise<boolean> =>
  (await pool().query('SELECT FROM event WHERE entity_uuid = $1 LIMIT 1', [userUuid])).rows.length > 0

const PERSON = `SELECT ${personColumns}, linked_corporates FROM person WHERE user_uuid = $1`

const PEOPLE_OF = `
  SELECT ${personColumns} FROM person WHERE linked_corporates @> ARRAY[$1::uuid] ORDER BY created_at DESC LIMIT 100`
