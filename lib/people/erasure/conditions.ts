import 'server-only'
import { lowerCase } from '#lib/platform/db/statements.ts'

/** The host is in lower case, as `exactEmail` writes it. */
const exactly = (column: string) =>
  `left(${column}, length(${column}) - strpos(reverse(${column}), '@')) || ${lowerCase(`right(${column}, strpos(reverse(${column}), '@'))`)}`

export const isTheirAddress = (column: string) =>
  `${lowerCase(column)} = ANY($1::text[]) OR ${exactly(column)} = ANY($2::text[])`

export const theirUuid = '($1::text[])[1]::uuid'

/**
 * Members need no account at the service. One who was removed, or opened an invitation and has not joined, is the person
 * also by the address.
 */
const theirMembers = `FROM member WHERE ${theirUuid} IN (user_uuid, former_user_uuid)
  OR (removed_at IS NOT NULL OR joined_at IS NULL) AND (${isTheirAddress('email')} OR ${isTheirAddress('sso_email')})`

export const theirMember = `(SELECT id ${theirMembers})`

/** The text is the person's id, or that of a member whom they are. */
export const isThem = (text: string) =>
  `(${text} = ($1::text[])[1] OR ${text} IN (SELECT id::text ${theirMembers}))`

/** The text is one of those that `findTexts` found to name the person. */
export const names = (text: string) => `(${text}) = ANY($3::text[])`

/** A page has this many rows. */
export const textsOfPage = 1_000

/** A page of rows with their texts begins after the key `$1`. */
function textPage(from: string, key: Readonly<Record<string, string>>, texts: string): string {
  const columns = Object.keys(key).join(', ')
  const after = Object.values(key).map((type, nth) => `($1::jsonb ->> ${nth})::${type}`)
  return `
    SELECT jsonb_build_array(${columns}) AS key, array_remove(${texts}, NULL) AS texts FROM ${from}
    WHERE $1::jsonb IS NULL OR (${columns}) > (${after.join(', ')})
    ORDER BY ${columns} LIMIT ${textsOfPage}`
}

const byId = { id: 'uuid' }

/** Staff or strangers write these texts. */
export const textPages: readonly string[] = [
  textPage('user_import', byId, 'ARRAY[file_name]'),
  textPage(
    'admin_notice',
    byId,
    'ARRAY[reason] || ARRAY(SELECT fact FROM jsonb_each_text(facts) AS one (key, fact))',
  ),
  textPage('transaction_note', { subject_id: 'text', id: 'uuid' }, 'ARRAY[text, ticket]'),
  textPage('overview_mute', { kind: 'text', about: 'text' }, 'ARRAY[note]'),
  textPage('replay', byId, 'ARRAY[reason]'),
  textPage('gap', byId, 'ARRAY[reason]'),
  textPage(
    `(SELECT id, subject FROM alert WHERE condition = 'unknown-type') AS of_types`,
    byId,
    'ARRAY[subject]',
  ),
  textPage('alert_channel', byId, 'ARRAY[name]'),
  textPage(
    `(SELECT audit.id, COALESCE(why.text, audit.reason) AS reason
      FROM audit LEFT JOIN audit_reason AS why ON why.entry_id = audit.id
      WHERE COALESCE(why.text, audit.reason) IS NOT NULL) AS entries`,
    byId,
    'ARRAY[reason]',
  ),
]

const theirTransactions = 'SELECT subject_id FROM transaction WHERE user_uuid = ($1::text[])[1]'

/** Notes may be on several servers, and only one of them looks for the person's transactions. Decision 0143. */
export const noteIsAboutThem = `id = ANY(ARRAY(
  WITH written AS MATERIALIZED (SELECT subject_id, id, text, ticket FROM transaction_note),
  theirs AS MATERIALIZED (${theirTransactions})
  SELECT id FROM written
  WHERE subject_id IN (SELECT subject_id FROM theirs) OR ${names('text')} OR ${names('ticket')}))`

export const snoozeIsAboutThem = `about IN (${theirTransactions})
  OR about IN (SELECT id::text FROM event WHERE entity_uuid = ($1::text[])[1])
  OR ${names('note')}`

export const isOfTheirs = `lower(filter ->> 'user') = ($1::text[])[1]`

export const reasonsAboutThem = `
  SELECT audit.id, audit.at, audit.action, COALESCE(why.text, audit.reason) AS reason
  FROM audit LEFT JOIN audit_reason AS why ON why.entry_id = audit.id
  WHERE COALESCE(why.text, audit.reason) IS NOT NULL AND (
    ($1::text[])[1] IN (audit.target, audit.details ->> 'person')
    OR audit.target IN (SELECT unnest(ARRAY[uuid, subject_id]) FROM transaction WHERE user_uuid = ($1::text[])[1])
    OR audit.target IN (SELECT id::text FROM event WHERE entity_uuid = ($1::text[])[1])
    OR ${names('COALESCE(why.text, audit.reason)')})`

/** These links invited the person, used or not, or let them sign in. */
export const linkIsTheirs = `${isTheirAddress('email')} OR member_id IN ${theirMember}`

const theirLinks = `SELECT id::text FROM access_link WHERE ${linkIsTheirs}`

/**
 * A notice is about a person by their uuid, about a member by their id, and about an invited person by the id of the
 * invitation.
 */
export const noticeIsAboutThem = `${isThem('about')} OR about IN (${theirLinks})`

/** The person may have caused or seen a notice about somebody else, whose name and reason are not the person's. */
export const noticeConcernsThem = `${isThem('actor')} OR EXISTS (SELECT 1 FROM unnest(seen_by) AS one (seen) WHERE ${isThem('seen')})
  OR ${noticeIsAboutThem}
  OR ${names('reason')}
  OR EXISTS (SELECT 1 FROM jsonb_each_text(facts) AS one (key, fact) WHERE ${names('fact')})`

export const startOfRows = `COALESCE(NULLIF($2, ''), '00000000-0000-0000-0000-000000000000')::uuid`

/**
 * The parameter `$1` is the user's uuid, or the `values` of the person with the uuid first; `$2` is their `exact`
 * addresses (`PersonValues`); `$3` is the texts that name them.
 */
export interface Statement {
  readonly of: 'user' | 'values' | 'addresses' | 'texts'
  readonly sql: string
}

export function ofUser(sql: string): Statement {
  return { of: 'user', sql }
}

export function ofValues(sql: string): Statement {
  return { of: 'values', sql }
}

export function ofAddresses(sql: string): Statement {
  return { of: 'addresses', sql }
}

/** The SQL is a whole statement. PostgreSQL must be told the type of a parameter that it does not use. */
export function ofTexts(sql: string): Statement {
  return { of: 'texts', sql: `WITH given AS (SELECT $1::text[], $2::text[], $3::text[]) ${sql}` }
}
