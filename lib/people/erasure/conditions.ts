import 'server-only'
import { lowerCase } from '#lib/platform/db/statements.ts'
import { plainText } from '#lib/platform/rules/pasted-text.ts'

/** The host is in lower case, as `exactEmail` writes it. */
const exactly = `left(email, length(email) - strpos(reverse(email), '@')) || ${lowerCase(`right(email, strpos(reverse(email), '@'))`)}`

export const isTheirAddress = `${lowerCase('email')} = ANY($1::text[]) OR ${exactly} = ANY($2::text[])`

export const theirMember = '(SELECT id FROM member WHERE user_uuid = $1)'

export const theirMemberId = '(SELECT id::text FROM member WHERE user_uuid = $1)'

/**
 * The SQL reads a text as `holdsValue` does: with plain signs and digits and without invisible signs, followed by
 * the same text decoded, since an address or a mail may encode it.
 */
export const readableText = (text: string): string =>
  `${plainSql(text)} || CASE WHEN ${text} ~ '[%=][0-9A-Fa-f]{2}|=\\s*$' THEN E'\\n' || ${plainSql(decodedSql(text))} ELSE '' END`

/** A text in ASCII is plain already. */
const plainSql = (text: string): string => `(SELECT CASE WHEN octet_length(given) = length(given) THEN given
     ELSE translate(regexp_replace(regexp_replace(normalize(translate(given, '${likeQuotes}', '${"''".repeat(likeQuotes.length)}'), NFKC), '[${invisible}]', '', 'g'), '([0-9A-Za-z])ー(?=[0-9A-Za-z])', '\\1-', 'g'), '${from}', '${to}') END
   FROM (SELECT ${text} AS given) AS one)`

/** The bytes are UTF-8, at most three for a character. */
const decodedSql = (text: string): string => `(
  SELECT COALESCE(string_agg(CASE WHEN part[1] ~ '^%.' THEN convert_from(decode(replace(part[1], '%', ''), 'hex'), 'UTF8') ELSE part[1] END, '' ORDER BY nth), '')
  FROM regexp_matches(
    regexp_replace(regexp_replace(${text}, '=[ \\t]*(\\r?\\n|$)', '', 'g'), '=([0-9A-Fa-f]{2})', '%\\1', 'g'),
    '((?:${characters.join('|')})+|[^%]+|%)', 'gi') WITH ORDINALITY AS piece (part, nth))`

const characters = [
  '%0[9AD]',
  '%[2-7][0-9A-F]',
  '%(?:C[2-9A-F]|D[0-9A-F])%[89AB][0-9A-F]',
  '%E0%[AB][0-9A-F]%[89AB][0-9A-F]',
  '%E[1-9ABCEF](?:%[89AB][0-9A-F]){2}',
  '%ED%[89][0-9A-F]%[89AB][0-9A-F]',
]

/** NFKC would turn each of these into two characters. */
const likeQuotes = '´ˈ'

/** The ranges are for a regular expression of PostgreSQL. */
const invisible =
  '\\u0001-\\u0008\\u000e-\\u001f\\u007f-\\u0084\\u0086-\\u009f\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffc\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff'

/** Digits of other scripts, dashes and quotes each have a plain form. */
const { from, to } = signsToTranslate()

function signsToTranslate() {
  const signs = Array.from({ length: 0x2_0000 - 0x80 }, (_, at) => String.fromCodePoint(at + 0x80))
    .filter(
      (sign) =>
        /[\p{Nd}\p{Pd}\p{P}\p{Zs}\p{Sm}\u2800\u2796\u02d7ʹʻʼʽ]/u.test(sign) &&
        sign.normalize('NFKC') === sign,
    )
    .map((sign) => [sign, plainText(sign)] as const)
    .filter(([sign, plain]) => plain !== sign && plain.length === 1)
  const quoted = (text: string) => text.replaceAll("'", "''")
  return { from: signs.map(([sign]) => sign).join(''), to: quoted(signs.map(([, plain]) => plain).join('')) }
}

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

export const startOfRows = `COALESCE(NULLIF($2, ''), '00000000-0000-0000-0000-000000000000')::uuid`

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
