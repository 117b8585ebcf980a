import { distributedTables, referenceTables } from '#lib/platform/db/distribute.ts'
import { tablesOfSchema } from './tables-of-schema.ts'

// Citus documents which SQL it does not take for tables that are spread over servers:
// https://docs.citusdata.com/en/stable/develop/reference_workarounds.html

const rules = {
  recursive: 'a recursive CTE reads a distributed table',
  lateral: 'LATERAL with a LIMIT reads a distributed table',
  empty: 'a subquery that is read on its own selects no column',
  grouping: 'GROUPING SETS go over a distributed table',
  local: 'a distributed table is joined with a table that is on one server',
  moved: 'a row gets another subject, which may be on another server',
  volatile: 'an UPDATE of a distributed table calls clock_timestamp()',
  body: 'event_body() runs where the log is not',
  conflict: 'ON CONFLICT DO UPDATE of a table on several servers calls a function',
  each: 'a subquery for each row reads a distributed table, and the rows are of none',
} as const

const elsewhere = tablesOfSchema.filter(
  (name) => ![...distributedTables, ...referenceTables].some((table) => table === name),
)

const reads = (names: readonly unknown[]) =>
  new RegExp(String.raw`\b(?:FROM|JOIN|UPDATE|USING|INTO)\s+(?:${names.join('|')})\b`, 'i')
const distributed = reads(distributedTables)
const local = reads(elsewhere)
const intoSpread = new RegExp(
  String.raw`\bINSERT INTO (?:${[...distributedTables, ...referenceTables].join('|')})\b`,
  'i',
)
const limit = /\b(?:LIMIT|FETCH FIRST)\b/i

/** A query in parentheses, or the whole statement. */
interface Query {
  /** The text without the parentheses in it, which are empty. */
  readonly own: string
  readonly whole: string
  /** The text before its parenthesis. */
  readonly before: string
  readonly inner: readonly Query[]
}

/** The rules that a statement breaks. They are read from its text, which shows what is in which parentheses, and no more. */
export function citusFaults(sql: string): string[] {
  const text = sql.replaceAll(/--.*$/gm, '').replaceAll(/'(?:[^']|'')*'/g, "''")
  if (!distributed.test(text) && !intoSpread.test(text)) return []
  const top = read(text)
  const all = withInner(top)
  const breaks: Record<keyof typeof rules, boolean> = {
    recursive: /\bWITH RECURSIVE\b/i.test(text),
    lateral: all.some(
      ({ before, whole }) => /\bLATERAL\s*$/i.test(before) && limit.test(whole) && distributed.test(whole),
    ),
    empty: all.some((query) => query !== top && /^\s*SELECT\s+FROM\b/i.test(query.own) && !isAboutRow(query)),
    grouping: all.some(({ own }) => /\bGROUPING SETS\b/i.test(own) && distributed.test(own)),
    local: all.some(
      ({ own, inner }) => distributed.test(own) && (joinsLocal(own) || inner.some(existsLocally)),
    ),
    moved: /\bUPDATE (?:event|event_delivery)\b[^()]*\bSET subject_id\b/i.test(text),
    volatile: all.some(
      ({ own }) => /^\s*UPDATE\b/i.test(own) && distributed.test(own) && /clock_timestamp/i.test(own),
    ),
    body: /\bevent_body\s*\(/i.test(text),
    conflict: intoSpread.test(text) && /\bDO UPDATE\b.*\b(?:now|clock_timestamp)\(/is.test(text),
    each: all.some(
      ({ own, inner }) =>
        /\bFROM\b/i.test(own) && !distributed.test(own) && !inner.some(isSpread) && inner.some(readsForEach),
    ),
  }
  return Object.entries(rules).flatMap(([name, sentence]) =>
    Object.entries(breaks).some(([broken, is]) => is && broken === name) ? [sentence] : [],
  )
}

/**
 * A query on its own becomes a table, which needs a column. Another one names a table of the query around it, or
 * compares a column that has the name of its table with one that has none.
 */
function isAboutRow({ whole }: Query): boolean {
  if (/\w\.\w+(?:::\w+)?\s*=\s*(?!(?:ANY|ALL|NULL|TRUE|FALSE)\b)[a-z_]\w*(?![\w.(])/i.test(whole)) return true
  const own = new Set([...whole.matchAll(named)].map(([, table, alias]) => alias ?? table))
  return [...whole.matchAll(/\b([a-z_]\w*)\.\w/gi)].some(([, name]) => !own.has(name))
}

/** A table with an alias is named by the alias alone. */
const named =
  /\b(?:FROM|JOIN|UPDATE|USING|AS)\s+(\w+)(?:\s+(?:AS\s+)?(?!(?:WHERE|ON|USING|JOIN|LEFT|CROSS|ORDER|GROUP|LIMIT|UNION|SET|AND|AS|FROM)\b)(\w+))?/gi

/** The rows of such a query stay on their servers. */
const isSpread = ({ before, whole }: Query) =>
  /\b(?:FROM|JOIN)\s*$/i.test(before) && distributed.test(whole) && !limit.test(whole)

/** A query behind FROM is read before the rows, and one that is about no row is read once. */
const readsForEach = (query: Query) =>
  !/\b(?:FROM|JOIN|AS|MATERIALIZED|UNION|ALL|ARRAY|IN)\s*$/i.test(query.before) &&
  distributed.test(query.own) &&
  (isAboutRow(query) || /\bEXISTS\s*$/i.test(query.before))

/** A UNION reads its parts one after the other, so only what one of them reads is joined. */
const joinsLocal = (own: string) =>
  own.split(/\bUNION(?: ALL)?\b/i).some((part) => distributed.test(part) && local.test(part))

/** EXISTS is nearly always about a row of the query around it, other queries where they name it. */
const existsLocally = (query: Query) =>
  local.test(query.own) && (/\bEXISTS\s*$/i.test(query.before) || isAboutRow(query))

const withInner = (query: Query): Query[] => [query, ...query.inner.flatMap(withInner)]

function read(whole: string, before = ''): Query {
  const inner: Query[] = []
  let own = ''
  for (let at = 0; at < whole.length; at++) {
    if (whole[at] !== '(') {
      own += whole[at]
      continue
    }
    const end = endOf(whole, at)
    inner.push(read(whole.slice(at + 1, end), own))
    own += '()'
    at = end
  }
  return { own, whole, before, inner }
}

function endOf(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0) return at
  }
  return text.length
}
