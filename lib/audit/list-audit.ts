import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { companyTypes } from '#lib/deliveries/rules/event-types.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { pastedText } from '#lib/platform/forms/fields.ts'
import { decodePlace, encodePlace, pageOf, pageSize } from '#lib/platform/paging/paging.ts'
import { InvalidInput } from '#lib/platform/refusals.ts'
import { isLowerCaseUuid, uuidPattern } from '#lib/platform/rules/ids.ts'
import { cleanText, nameKey } from '#lib/platform/rules/pasted-text.ts'
import { findUuid } from '#lib/platform/rules/whole-ids.ts'
import {
  type AuditRow,
  type AuditView,
  auditColumns,
  isTargetHidden,
  joinReason,
  toAuditView,
} from './audit-view.ts'
import type { AuditAction } from './record-audit.ts'

/** The text has no NUL, which PostgreSQL does not store. */
const idSchema = pastedText('At most 200 characters.').pipe(z.string().regex(/^[^\0]{1,200}$/))

/** PostgreSQL has no year 0. No entry is older than 1970. */
const daySchema = z.iso.date().refine((day) => Date.parse(day) >= 0)

/** The address of the list may hold these filters; a filter that cannot be read is left out. */
export const AuditFiltersSchema = z.object({
  /** `who` is the id of a person or the name of a member. The form sends only ids, see `resolveFilters`. */
  who: idSchema.optional().catch(undefined),
  /** `about` is the id of the target, or of the person whose data was read. */
  about: idSchema.optional().catch(undefined),
  /** `action` is one action, or a prefix that ends with a dot: `endpoint.`, `read.`. */
  action: z
    .string()
    .regex(/^[a-z-]+(\.[a-z-]*)?$/)
    .optional()
    .catch(undefined),
  outcome: z.enum(['begun', 'done', 'refused', 'failed', 'unsure']).optional().catch(undefined),
  /** The days are in UTC; both are included. */
  from: daySchema.optional().catch(undefined),
  until: daySchema.optional().catch(undefined),
})

export type AuditFilters = z.output<typeof AuditFiltersSchema>

interface AuditPage {
  readonly rows: readonly AuditView[]
  /** `next` is the value of `before` for the next page; null on the last one. */
  readonly next: string | null
}

interface AuditQuery extends AuditFilters {
  readonly before?: string | undefined
  readonly limit?: number | undefined
  /** When false, no target is shown as a company, because nobody reads it. True by default. */
  readonly tellsCompanies?: boolean
}

/** The latest entries come first. Throws `NotAllowed` and `CursorRefused`. */
export async function listAudit(caller: Caller, filters: AuditQuery): Promise<AuditPage> {
  requirePermission(caller, 'read-audit')
  const limit = pageSize(filters.limit)
  const { rows } = await pool().query<AuditRow>(SELECT_AUDIT, [
    filters.who === undefined ? null : await actorsOf(filters.who),
    filters.about ?? null,
    filters.action?.endsWith('.') ? null : (filters.action ?? null),
    filters.action?.endsWith('.') ? filters.action : null,
    filters.outcome ?? null,
    filters.from ?? null,
    filters.until ?? null,
    ...decodePlace(filters.before),
    limit + 1,
  ])
  const { listed, next } = pageOf(rows, limit, ({ at, id }) => encodePlace(at, id))
  // A search for a target does not find entries whose target is hidden from the role.
  const found =
    filters.about === undefined ? listed : listed.filter((row) => !isTargetHidden(caller.role, row))
  const { tellsCompanies = true } = filters
  const isCompany = await findCompanies(tellsCompanies ? found.map(({ target }) => target) : [])
  return { rows: found.map((row) => toAuditView(caller.role, row, isCompany(row.target))), next }
}

const newest = 'ORDER BY at DESC, id DESC LIMIT $10'

const matching = `
  ($1::text[] IS NULL OR actor = ANY($1))
  AND ($3::text IS NULL OR action = $3)
  AND ($4::text IS NULL OR starts_with(action, $4))
  AND ($5::text IS NULL OR outcome = $5)
  AND ($6::text IS NULL OR at >= $6::timestamp AT TIME ZONE 'UTC')
  AND ($7::text IS NULL OR at < ($7::timestamp + interval '1 day') AT TIME ZONE 'UTC')
  AND ($8::timestamptz IS NULL OR (at, id) < ($8, $9::uuid))`

/** The audit names a member by either of two ids. Another actor has a name of its own, such as "command line". */
async function actorsOf(who: string): Promise<string[]> {
  const { rows } = await pool().query<MemberRow>(MEMBERS)
  const isMeant = isNamed(who)
  const found = rows.filter((row) => isMeant(row) || row.id === who || row.user_uuid === who)
  return [who, ...found.flatMap(({ id, user_uuid }) => [id, ...(user_uuid === null ? [] : [user_uuid])])]
}

interface MemberRow {
  readonly id: string
  readonly user_uuid: string | null
  readonly name: string
}

/** A team is small, so its names are compared here, in one form of both. */
const MEMBERS = 'SELECT id::text, user_uuid::text, name FROM member'

function isNamed(typed: string): (member: MemberRow) => boolean {
  const key = nameKey(typed)
  return ({ name }) => nameKey(name) === key
}

/**
 * The uuid of the target finds rows in tables; the overview names an endpoint `endpoint:` and its uuid. `OFFSET
 * 0` makes PostgreSQL compute it once for each entry, not for each candidate row.
 */
const targetUuid = `substring(entry.target FROM '^(?:endpoint:)?(${uuidPattern})$')::uuid`

/** The list joins actions on a person with readings of their data: each part uses its index, in order. */
const SELECT_AUDIT = `
  SELECT ${auditColumns}, actor_member.name AS actor_name, COALESCE(target_member.name, invited.name) AS target_name,
    endpoint.name AS endpoint_name FROM (
    SELECT * FROM (
      (SELECT * FROM audit WHERE ($2::text IS NULL OR target = $2) AND ${matching} ${newest})
      UNION ALL
      (SELECT * FROM audit WHERE details ->> 'person' = $2 AND target IS DISTINCT FROM $2 AND ${matching} ${newest})
    ) AS both_ways ${newest}
  ) AS entry
  CROSS JOIN LATERAL (SELECT ${targetUuid} AS target_uuid OFFSET 0) AS named
  ${joinReason}
  LEFT JOIN LATERAL (
    SELECT name FROM member WHERE user_uuid::text = entry.actor OR member.id::text = entry.actor LIMIT 1
  ) AS actor_member ON true
  LEFT JOIN LATERAL (
    SELECT name FROM member WHERE user_uuid::text = entry.target OR member.id::text = entry.target LIMIT 1
  ) AS target_member ON true
  LEFT JOIN LATERAL (
    SELECT name FROM access_link WHERE id = target_uuid AND kind = 'invitation' LIMIT 1
  ) AS invited ON true
  LEFT JOIN LATERAL (
    SELECT name FROM endpoint_state WHERE endpoint_uuid = target_uuid AND name IS NOT NULL
    ORDER BY seen_from DESC LIMIT 1
  ) AS endpoint ON true
  ORDER BY entry.at DESC, entry.id DESC`

/** These targets are companies: no user has their id, and people or events name them as a company. */
async function findCompanies(
  targets: readonly (string | null)[],
): Promise<(target: string | null) => boolean> {
  const uuids = new Set(targets.map(uuidOf).filter((uuid) => isLowerCaseUuid(uuid)))
  if (uuids.size === 0) return () => false
  const { rows } = await pool().query<{ id: string }>(COMPANIES, [[...uuids], companyTypes])
  const companies = new Set(rows.map(({ id }) => id))
  return (target) => companies.has(uuidOf(target))
}

/** An entity is named by its uuid, or by `entity:` and its uuid. */
function uuidOf(target: string | null): string {
  const subject = parseSubjectId(target ?? '')
  if (!subject) return target ?? ''
  return subject.kind === 'entity' ? subject.id : ''
}

/** The links of people are read once for all targets; a query for each would read every person each time. */
const COMPANIES = `
  WITH known AS MATERIALIZED (
    SELECT subject_id FROM standing
    WHERE subject_id = ANY(ARRAY(SELECT 'entity:' || id FROM unnest($1::uuid[]) AS id)) AND type = ANY($2)
  )
  SELECT id::text FROM unnest($1::uuid[]) AS target (id)
  WHERE NOT EXISTS (SELECT 1 FROM person WHERE user_uuid = id)
    AND ('entity:' || id IN (SELECT subject_id FROM known)
      OR id IN (SELECT unnest(linked_corporates) FROM person WHERE linked_corporates && $1))`

/**
 * The filters are resolved to what the page's address may hold: only our own ids, because addresses are written
 * to logs (decision 0051). Unset filters are left out. Throws `NotAllowed` and `InvalidInput`.
 */
export async function resolveFilters(
  caller: Caller,
  { who, about, ...others }: AuditFilters,
): Promise<Readonly<Record<string, string>>> {
  requirePermission(caller, 'read-audit')
  const named = {
    who: who === undefined ? undefined : await idOfActor(who),
    about: about === undefined ? undefined : await idOfTarget(about),
    ...others,
  }
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

async function idOfActor(typed: string): Promise<string> {
  const text = cleanText(typed)
  const uuid = findUuid(text)
  if (uuid !== null) return uuid
  const { rows } = await pool().query<MemberRow>(MEMBERS)
  const [member, another] = rows.filter(isNamed(typed))
  if (another) throw new InvalidInput({ who: 'Several members have this name. Give the id of one.' })
  if (member) return member.id
  // An actor may also be a name such as "command line".
  const { rowCount } = await pool().query('SELECT FROM audit WHERE actor = $1 LIMIT 1', [text])
  if (!rowCount) throw new InvalidInput({ who: 'Nobody in the team has this name. Give a whole id.' })
  return text
}

/** The audit names its targets by ids and routes, never by an e-mail address or an account number. */
async function idOfTarget(typed: string): Promise<string> {
  const text = cleanText(typed)
  const uuid = findUuid(text)
  if (uuid !== null) return uuid
  const { rowCount } = await pool().query('SELECT FROM audit WHERE target = $1 LIMIT 1', [text])
  if (!rowCount)
    throw new InvalidInput({ about: 'Nothing here is about this. Give a whole id, such as that of a user.' })
  return text
}

/** An endpoint was changed here. A change whose outcome is `begun` was interrupted. */
export interface EndpointChange extends Pick<AuditView, 'id' | 'at' | 'action' | 'outcome' | 'changes'> {
  /** Only roles that may read the audit see who made the change; null for the others. */
  readonly by: { readonly name: string; readonly reason: string | null } | null
}

/** The latest changes of an endpoint that were made here come first, limited in number. Throws `NotAllowed`. */
export async function listEndpointHistory(
  caller: Caller,
  endpointUuid: string,
  most = 50,
): Promise<EndpointChange[]> {
  requirePermission(caller, 'see-endpoint-health')
  const making: readonly AuditAction[] = ['endpoint.create', 'endpoint.replace']
  const { rows } = await pool().query<AuditRow>({
    ...HISTORY,
    values: [endpointUuid.toLowerCase(), making, most],
  })
  const mayKnow = may(caller.role, 'read-audit')
  return rows.map((row) => {
    const { id, at, action, outcome, changes, actor, reason } = toAuditView(caller.role, row)
    const by = mayKnow ? { name: actor?.name ?? actor?.id ?? 'unknown', reason } : null
    return { id, at, action, outcome, changes, by }
  })
}

/**
 * The history joins the entries that name the endpoint and those that later say they made it. A `begun` entry
 * is left out when the next entry of the same action and actor says how it ended.
 */
const HISTORY = planOnce(`
  WITH mine AS (
    SELECT * FROM audit WHERE target = $1 AND starts_with(action, 'endpoint.')
    UNION ALL
    SELECT * FROM audit WHERE action = ANY($2) AND details ->> 'endpointUuid' = $1 AND target IS DISTINCT FROM $1
  ), followed AS (
    SELECT mine.*, lead(outcome) OVER (PARTITION BY action, actor ORDER BY at, id) AS next_outcome FROM mine
  )
  SELECT ${auditColumns}, member.name AS actor_name, NULL AS target_name, NULL AS endpoint_name FROM followed AS entry
  ${joinReason}
  LEFT JOIN LATERAL (
    SELECT name FROM member WHERE user_uuid::text = entry.actor OR member.id::text = entry.actor LIMIT 1
  ) AS member ON true
  WHERE entry.outcome <> 'begun' OR next_outcome IS NULL OR next_outcome = 'begun'
  ORDER BY entry.at DESC, entry.id DESC LIMIT $3`)

/** The audit shows a request for a sign-in code in this form. */
export interface CodeRequestView {
  /** ISO 8601. */
  readonly at: string
  /** `why` is null when the service took the request; otherwise it says why no code was sent. */
  readonly why: string | null
  /** The browser that asked sent this text about itself. */
  readonly userAgent: string | null
}

/** These are the codes requested in the last day for a person in the directory, newest first, at most 20. */
export async function listCodeRequests(userUuid: string): Promise<CodeRequestView[]> {
  const { rows } = await pool().query<CodeRequestRow>(LIST, [userUuid])
  return rows.map(({ at, why, user_agent }) => ({ at: at.toISOString(), why, userAgent: user_agent }))
}

interface CodeRequestRow {
  readonly at: Date
  readonly why: string | null
  readonly user_agent: string | null
}

const LIST = `
  SELECT at, details->>'why' AS why, user_agent FROM audit
  WHERE target = $1 AND action = 'code.request' AND at > now() - interval '1 day'
  ORDER BY at DESC, id DESC LIMIT 20`
