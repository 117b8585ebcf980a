import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { companyTypes } from '#lib/deliveries/rules/event-types.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { lowerCase } from '#lib/platform/db/sql-text.ts'
import { PastedTextSchema } from '#lib/platform/forms/fields.ts'
import { pageOf, pageSize } from '#lib/platform/paging/paging.ts'
import { InvalidInput } from '#lib/platform/refusals.ts'
import { findUuid, isLowerCaseUuid, uuidPattern } from '#lib/platform/rules/ids.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import {
  type AuditRow,
  type AuditView,
  auditColumns,
  isHidden,
  joinReason,
  toAuditView,
} from './audit-view.ts'

/** A text without NUL, which the database takes in none. */
const idSchema = PastedTextSchema.pipe(z.string().regex(/^[^\0]{1,200}$/))

/** What an address of the list may ask for; whatever cannot be read is left out. */
export const AuditFiltersSchema = z.object({
  /** The id of a person, or a member’s name; the form gives ids alone, see `resolve-filters.ts`. */
  who: idSchema.optional().catch(undefined),
  /** The id of what it was done to, or of whom it concerned: whose data was read. */
  about: idSchema.optional().catch(undefined),
  /** An action, or its beginning with a dot: `endpoint.`, `read.`. */
  action: z
    .string()
    .regex(/^[a-z-]+(\.[a-z-]*)?$/)
    .optional()
    .catch(undefined),
  outcome: z.enum(['begun', 'done', 'refused', 'failed', 'unsure']).optional().catch(undefined),
  /** Days, in UTC, both included. */
  from: z.iso.date().optional().catch(undefined),
  until: z.iso.date().optional().catch(undefined),
})

export type AuditFilters = z.output<typeof AuditFiltersSchema>

interface AuditPage {
  readonly rows: readonly AuditView[]
  /** For `before`: the next page; null on the last one. */
  readonly next: string | null
}

interface AuditQuery extends AuditFilters {
  readonly before?: string | undefined
  readonly limit?: number | undefined
  /** False where nobody is told which targets are companies: then none is. True by default. */
  readonly tellsCompanies?: boolean
}

/** Entries, the latest first. Throws `NotAllowed`. */
export async function listAudit(caller: Caller, filters: AuditQuery): Promise<AuditPage> {
  requirePermission(caller, 'read-audit')
  const limit = pageSize(filters.limit)
  const { rows } = await pool().query<AuditRow>(SELECT_AUDIT, [
    filters.who ?? null,
    filters.about ?? null,
    filters.action?.endsWith('.') ? null : (filters.action ?? null),
    filters.action?.endsWith('.') ? filters.action : null,
    filters.outcome ?? null,
    filters.from ?? null,
    filters.until ?? null,
    filters.before ?? null,
    limit + 1,
  ])
  const { listed, next } = pageOf(rows, limit, ({ id }) => id)
  // What a role may not know of is not found by asking for it.
  const found = filters.about === undefined ? listed : listed.filter((row) => !isHidden(caller.role, row))
  const { tellsCompanies = true } = filters
  const isCompany = await findCompanies(tellsCompanies ? found.map(({ target }) => target) : [])
  return { rows: found.map((row) => toAuditView(caller.role, row, isCompany(row.target))), next }
}

const newest = 'ORDER BY at DESC, id DESC LIMIT $9'

const matching = `
  ($1::text IS NULL OR actor = ANY(ARRAY(
    SELECT $1 UNION ALL
    SELECT unnest(ARRAY[id::text, user_uuid::text]) FROM member
    WHERE ${lowerCase('name')} = ${lowerCase('$1')} OR id::text = $1 OR user_uuid::text = $1)))
  AND ($3::text IS NULL OR action = $3)
  AND ($4::text IS NULL OR starts_with(action, $4))
  AND ($5::text IS NULL OR outcome = $5)
  AND ($6::text IS NULL OR at >= $6::timestamp AT TIME ZONE 'UTC')
  AND ($7::text IS NULL OR at < ($7::timestamp + interval '1 day') AT TIME ZONE 'UTC')
  AND ($8::uuid IS NULL OR (at, id) < (SELECT at, id FROM audit WHERE id = $8))`

/**
 * As a uuid, by which tables are found: the overview calls an endpoint `endpoint:` and its uuid. `OFFSET 0` has it read once
 * for each entry, and not for each row that may be meant.
 */
const targetUuid = `substring(entry.target FROM '^(?:endpoint:)?(${uuidPattern})$')::uuid`

/** What was done to somebody, and what was read of their data elsewhere: each by its index, in order. */
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

/** Answers whether a target of the audit, one of these, is a company: no user, and people or events speak of it as one. */
async function findCompanies(
  targets: readonly (string | null)[],
): Promise<(target: string | null) => boolean> {
  const uuids = new Set(targets.map(uuidOf).filter((uuid) => isLowerCaseUuid(uuid)))
  if (uuids.size === 0) return () => false
  const { rows } = await pool().query<{ id: string }>(COMPANIES, [[...uuids], companyTypes])
  const companies = new Set(rows.map(({ id }) => id))
  return (target) => companies.has(uuidOf(target))
}

/** Of an entity, by its uuid or by `entity:` and its uuid. */
function uuidOf(target: string | null): string {
  const subject = parseSubjectId(target ?? '')
  if (!subject) return target ?? ''
  return subject.kind === 'entity' ? subject.id : ''
}

/** The links of people are read once, for all: asked for each of them, every person would be read for each. */
const COMPANIES = `
  SELECT id::text FROM unnest($1::uuid[]) AS target (id)
  WHERE NOT EXISTS (SELECT FROM person WHERE user_uuid = id)
    AND (EXISTS (SELECT FROM standing WHERE subject_id = 'entity:' || id AND type = ANY($2))
      OR id IN (SELECT unnest(linked_corporates) FROM person WHERE linked_corporates && $1))`

/**
 * What somebody typed into the filters, as the address of the page may hold it: ids of ours alone, since addresses are written
 * into logs (decision 0051). Only those that are set. Throws `NotAllowed` and `InvalidInput`.
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
  const { rows } = await pool().query<{ id: string }>(
    `SELECT id FROM member WHERE ${lowerCase('name')} = ${lowerCase('$1')} LIMIT 2`,
    [text],
  )
  const [member, another] = rows
  if (another) throw new InvalidInput({ who: 'Several members have this name. Give the id of one.' })
  if (member) return member.id
  // Such as "command line".
  const { rowCount } = await pool().query('SELECT FROM audit WHERE actor = $1 LIMIT 1', [text])
  if (!rowCount) throw new InvalidInput({ who: 'Nobody in the team has this name. Give a whole id.' })
  return text
}

/** What the audit is about it names by ids and routes, never by an e-mail address or a number of an account. */
async function idOfTarget(typed: string): Promise<string> {
  const text = cleanText(typed)
  const uuid = findUuid(text)
  if (uuid !== null) return uuid
  const { rowCount } = await pool().query('SELECT FROM audit WHERE target = $1 LIMIT 1', [text])
  if (!rowCount)
    throw new InvalidInput({ about: 'Nothing here is about this. Give a whole id, such as that of a user.' })
  return text
}
