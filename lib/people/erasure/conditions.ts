import 'server-only'
import { lowerCase } from '#lib/platform/db/statements.ts'
import { readableText } from './readable-text.ts'

/** The host is in lower case, as `exactEmail` writes it. */
const exactly = `left(email, length(email) - strpos(reverse(email), '@')) || ${lowerCase(`right(email, strpos(reverse(email), '@'))`)}`

export const isTheirAddress = `${lowerCase('email')} = ANY($1::text[]) OR ${exactly} = ANY($2::text[])`

export const theirMember = '(SELECT id FROM member WHERE user_uuid = $1)'

export const theirMemberId = '(SELECT id::text FROM member WHERE user_uuid = $1)'

/**
 * The text names the person, by the same rules as `holdsValue`: long values with any signs between their letters,
 * short ones not within a longer number or word.
 */
export const names = (text: string) => `EXISTS (
    SELECT 1 FROM (SELECT ${lowerCase(readableText(text))} AS folded OFFSET 0) AS said,
      LATERAL (SELECT regexp_replace(folded, '\\s', '', 'g') AS compact,
                      regexp_replace(folded, '[^[:alnum:]]', '', 'g') AS letters OFFSET 0) AS short,
      unnest($1::text[]) AS value
    WHERE CASE WHEN length(value) <= 20 AND value ~ '^[[:alnum:]]+$'
               THEN folded ~ ('(^|[^[:alnum:]])' || regexp_replace(value, '(.)', '\\1\\s*', 'g') || '($|[^[:alnum:]])')
               ELSE strpos(compact, value) > 0
                 OR value !~ '@' AND strpos(letters, regexp_replace(value, '[^[:alnum:]]', '', 'g')) > 0 END)
  OR EXISTS (SELECT 1 FROM unnest($2::text[]) AS address WHERE strpos(regexp_replace(${readableText(text)}, '\\s', '', 'g'), address) > 0)`

const theirTransactions = 'SELECT subject_id FROM transaction WHERE user_uuid = ($1::text[])[1]'

/** Notes may be on several servers, and only one of them searches texts. Decision 0143. */
export const noteIsAboutThem = `id = ANY(ARRAY(
  WITH written AS MATERIALIZED (SELECT subject_id, id, text, ticket FROM transaction_note),
  theirs AS MATERIALIZED (${theirTransactions})
  SELECT id FROM written
  WHERE subject_id IN (SELECT subject_id FROM theirs) OR ${names(`text || ' ' || COALESCE(ticket, '')`)}))`

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
export const linkIsTheirs = `${isTheirAddress} OR member_id IN (SELECT id FROM member WHERE user_uuid = ($1::text[])[1]::uuid)`

export const theirLinks = `SELECT id::text FROM access_link WHERE ${linkIsTheirs}`

/** A notice names a person by their uuid, a member by their id, and an invited person by the id of the invitation. */
export const noticeIsAboutThem = `($1::text[])[1] IN (actor, about) OR ($1::text[])[1] = ANY(seen_by)
  OR about IN (SELECT id::text FROM member WHERE user_uuid = ($1::text[])[1]::uuid)
  OR about IN (${theirLinks})
  OR ${names(`COALESCE(reason, '') || ' ' || facts::text`)}`

export const startOfPage = `COALESCE(NULLIF($2, ''), '00000000-0000-0000-0000-000000000000')::uuid`

/**
 * The parameter `$1` is the user's uuid, or the `values` of the person with the uuid first; `$2` is their `exact`
 * addresses (`PersonValues`).
 */
export interface Statement {
  readonly of: 'user' | 'values' | 'addresses'
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
