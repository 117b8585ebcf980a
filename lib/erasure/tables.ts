import 'server-only'

/** As `exactEmail` writes it: the host in lower case. */
const exactly = `left(email, length(email) - strpos(reverse(email), '@')) || lower(right(email, strpos(reverse(email), '@')))`

const isTheirAddress = `lower(email) = ANY($1::text[]) OR ${exactly} = ANY($2::text[])`

/**
 * What each table holds of people, and what an erasure does with it. `log`, `fold`: overwritten or rebuilt by
 * `erase-subjects.ts`. `links`: their texts go by `is-search-for.ts`. `mark`: what an erasure leaves. `nobody`: holds nothing of a person. `kept`: stays, for the reason
 * given. Else a statement, whose `$1` is the user's uuid, or `values` of the person, the uuid first; with `$2`, their
 * `exact` addresses (`PersonValues`).
 */
export const tables: Readonly<Record<string, Treatment>> = {
  person_term: ofUser('DELETE FROM person_term WHERE user_uuid = $1'),
  person: ofUser('DELETE FROM person WHERE user_uuid = $1'),
  user_lookup: ofUser('DELETE FROM user_lookup WHERE user_uuid = $1'),
  session: ofUser('DELETE FROM session WHERE user_uuid = $1'),
  known_browser: ofUser('DELETE FROM known_browser WHERE user_uuid = $1'),
  code_request: ofUser('DELETE FROM code_request WHERE user_uuid = $1'),
  sign_up: ofUser('DELETE FROM sign_up WHERE user_uuid = $1'),
  stranger_alarm: ofUser('DELETE FROM stranger_alarm WHERE user_uuid = $1'),
  user_import_row: ofAddresses(
    `DELETE FROM user_import_row WHERE user_uuid = ($1::text[])[1]::uuid OR ${isTheirAddress}`,
  ),
  challenge: ofValues('DELETE FROM challenge WHERE lower(address) = ANY($1::text[])'),
  passkey: ofUser(
    'DELETE FROM passkey WHERE member_id IN (SELECT id FROM member WHERE user_uuid = $1 AND removed_at IS NOT NULL)',
  ),
  admin_notice: ofUser(
    `UPDATE admin_notice SET
       actor = NULLIF(actor, $1::uuid::text), seen_by = array_remove(seen_by, $1::uuid::text),
       actor_name = CASE WHEN actor = $1::uuid::text THEN 'Erased' ELSE actor_name END,
       facts = CASE WHEN facts ? 'member' AND member.id IS NOT NULL THEN facts || '{"member": "Erased"}' ELSE facts END
     FROM (SELECT $1::uuid AS user_uuid) given LEFT JOIN member USING (user_uuid)
     WHERE $1::uuid::text IN (actor, about) OR $1::uuid::text = ANY(seen_by) OR about = member.id::text`,
  ),
  member: ofUser(
    `UPDATE member SET user_uuid = NULL, name = 'Erased', email = NULL, sso_issuer = NULL, sso_subject = NULL WHERE user_uuid = $1 AND removed_at IS NOT NULL`,
  ),
  access_link: ofAddresses(`DELETE FROM access_link WHERE ${isTheirAddress}`),
  replay: ofUser(
    `UPDATE replay SET filter = filter || '{"user": "erased"}' WHERE lower(filter ->> 'user') = $1::uuid::text`,
  ),
  delivery: 'log',
  event: 'fold',
  event_delivery: 'fold',
  transaction: 'fold',
  identifier: 'fold',
  erasure: 'mark',
  audit_link: 'nobody',
  audit: { kept: 'who did what is proof for others too; it holds ids, no names, addresses or accounts' },
  user_import: 'nobody',
  passkey_challenge: 'nobody',
  endpoint_person: { kept: 'of members, by id: who knows which secret' },
  audit_counter: { kept: 'counts of a minute, on their way into the audit' },
  search_link: 'links',
  setting: 'nobody',
  rate_limit: 'nobody',
  sso_attempt: 'nobody',
  receiver: 'nobody',
  receiver_period: 'nobody',
  refused_body: 'nobody',
  secret_handoff: 'nobody',
  refusal: 'nobody',
  refused_caller: 'nobody',
  key_fault: 'nobody',
  delivery_pending: 'nobody',
  rebuild: 'nobody',
  rebuild_part: 'nobody',
  answer_lost: 'nobody',
  lease: 'nobody',
  gap: 'nobody',
  heartbeat: 'nobody',
  watched_endpoint: 'nobody',
  endpoint_status_change: 'nobody',
  delivery_hour: 'nobody',
  replay_delivery: 'nobody',
}

export type Treatment = 'log' | 'fold' | 'links' | 'mark' | 'nobody' | { readonly kept: string } | Removal

export interface Removal {
  readonly of: 'user' | 'values' | 'addresses'
  readonly sql: string
}

function ofUser(sql: string): Removal {
  return { of: 'user', sql }
}

function ofValues(sql: string): Removal {
  return { of: 'values', sql }
}

function ofAddresses(sql: string): Removal {
  return { of: 'addresses', sql }
}

/** The statements, in order. */
export const removals: readonly Removal[] = Object.values(tables).flatMap((treatment) =>
  typeof treatment === 'object' && 'sql' in treatment ? [treatment] : [],
)
