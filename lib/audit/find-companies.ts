import 'server-only'
import { companyTypes } from '#lib/deliveries/rules/event-types.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/uuid.ts'

/** Answers whether a target of the audit, one of these, is a company: no user, and people or events speak of it as one. */
export async function findCompanies(
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
