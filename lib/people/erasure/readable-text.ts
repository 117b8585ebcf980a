import 'server-only'
import { plainText } from '#lib/platform/rules/pasted-text.ts'

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
