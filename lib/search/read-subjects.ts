import 'server-only'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { emailsOf } from '#lib/identity/users/find-users.ts'
import { eventColumns, type ListedEventRow, toEventView } from '#lib/timeline/event-view.ts'
import { decidingOf, type RankedKind } from '#lib/timeline/rules/status.ts'
import { transactionsOf } from '#lib/transactions/get-transaction.ts'
import type { FoundSubject, OtherSubject } from './found.ts'
import { searchQuery } from './search-query.ts'

/** The subjects are returned by id as they are now, as this role may see them; missing ones are left out. */
export async function readSubjects(
  role: StaffRole,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, FoundSubject>> {
  const isTransaction = (id: string) => parseSubjectId(id)?.kind === 'transaction'
  const [transactions, others] = await Promise.all([
    transactionsOf(role, subjectIds.filter(isTransaction)),
    readOthers(
      role,
      subjectIds.filter((id) => !isTransaction(id)),
    ),
  ])
  return new Map([...transactions, ...others].map((subject) => [subject.subjectId, subject]))
}

async function readOthers(role: StaffRole, ids: readonly string[]): Promise<OtherSubject[]> {
  if (ids.length === 0) return []
  const kinds = await searchQuery<KindRow>(LAST_KINDS, [ids])
  const deciding = [...Map.groupBy(kinds, ({ subject }) => subject).values()].flatMap(
    (events) => decidingOf(events, (event) => event) ?? [],
  )
  const rows = await searchQuery<ListedEventRow & { started_at: Date }>(LISTED, [
    deciding.map(({ subject }) => subject),
    deciding.map(({ id }) => id),
  ])
  const emails = await emailsOf(rows.map((row) => row.entity_uuid))
  return rows.map((row) => ({
    subjectId: row.subject_id,
    startedAt: row.started_at.toISOString(),
    latest: toEventView(role, row, emails),
  }))
}

interface KindRow extends RankedKind {
  readonly subject: string
  readonly id: string
}

/** The events are in the order of the timeline; only the last of each subject is read, which may have any number. */
const LAST_KINDS = `
  SELECT asked.id AS subject, last.id, last.type, last.sub_type AS "subType", last.rank FROM unnest($1::text[]) AS asked (id),
    LATERAL (
      SELECT id, type, sub_type, rank, position FROM event WHERE event.subject_id = asked.id
      ORDER BY event.id DESC LIMIT 100) AS last
  ORDER BY asked.id, last.position`

const LISTED = `
  SELECT listed.*, first.started_at FROM unnest($1::text[], $2::uuid[]) AS asked (subject, id),
    LATERAL (SELECT ${eventColumns} FROM event WHERE event.subject_id = asked.subject AND event.id = asked.id) AS listed,
    LATERAL (
      SELECT first_received_at AS started_at FROM event WHERE event.subject_id = asked.subject
      ORDER BY event.id LIMIT 1) AS first`
