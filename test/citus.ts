import fs from 'node:fs'
import { distributedTables, referenceTables } from '#lib/platform/db/distribute.ts'

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
} as const

const tables = [...fs.readFileSync('prisma/schema.prisma', 'utf8').matchAll(/@@map\("(\w+)"\)/g)].map(
  ([, name]) => name,
)
const elsewhere = tables.filter(
  (name) => ![...distributedTables, ...referenceTables].some((table) => table === name),
)

const reads = (names: readonly unknown[]) =>
  new RegExp(String.raw`\b(?:FROM|JOIN|UPDATE|USING|INTO)\s+(?:${names.join('|')})\b`, 'i')
const distributed = reads(distributedTables)
const local = reads(elsewhere)
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
  if (!distributed.test(text)) return []
  const top = read(text)
  const all = withInner(top)
  const breaks: Record<keyof typeof rules, boolean> = {
    recursive: /\bWITH RECURSIVE\b/i.test(text),
    lateral: all.some(
      ({ before, whole }) => /\bLATERAL\s*$/i.test(before) && limit.test(whole) && distributed.test(whole),
    ),
    empty: all.some((query) => query !== top && /^\s*SELECT\s+FROM\b/i.test(query.own) && isAlone(query)),
    grouping: all.some(({ own }) => /\bGROUPING SETS\b/i.test(own) && distributed.test(own)),
    local: all.some(
      ({ own, inner }) => distributed.test(own) && (joinsLocal(own) || inner.some(existsLocally)),
    ),
    moved: /\bUPDATE (?:event|event_delivery)\b[^()]*\bSET subject_id\b/i.test(text),
    volatile: all.some(
      ({ own }) => /^\s*UPDATE\b/i.test(own) && distributed.test(own) && /clock_timestamp/i.test(own),
    ),
    body: /\bevent_body\s*\(/i.test(text),
  }
  return Object.entries(rules).flatMap(([name, sentence]) =>
    Object.entries(breaks).some(([broken, is]) => is && broken === name) ? [sentence] : [],
  )
}

/** Such a query is not about a row of the query around it, so its result becomes a table, which needs a column. */
const isAlone = ({ own }: Query) => limit.test(own) || !/\bWHERE\b/i.test(own)

/** A UNION reads its parts one after the other, so only what one of them reads is joined. */
const joinsLocal = (own: string) =>
  own.split(/\bUNION(?: ALL)?\b/i).some((part) => distributed.test(part) && local.test(part))

/** EXISTS is nearly always about a row of the query around it. */
const existsLocally = ({ before, own }: Query) => /\bEXISTS\s*$/i.test(before) && local.test(own)

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
