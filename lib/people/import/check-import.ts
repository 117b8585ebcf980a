import 'server-only'
import { setImmediate } from 'node:timers/promises'
import { uuidv7 } from 'uuidv7'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { listCountries } from '#lib/identity/sign-in/sign-up.ts'
import { emailKey, erasedAddresses, exactEmail } from '#lib/identity/users/person-texts.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { textParameter } from '#lib/platform/db/statements.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { userDigest } from '#lib/timeline/projector/erased-people.ts'
import {
  type JudgedLine,
  joinQuotedLines,
  judgeLine,
  namedSeparator,
  nextHeading,
  readFileLines,
  readHeading,
} from './judge-line.ts'

/** A file holds at most this many people; an import takes about half an hour for them. */
export const mostPeople = 100_000

/** The process does its other work after this many lines. */
const linesPerTurn = 200

interface CheckedLine {
  readonly line: number
  readonly judged: JudgedLine
}

/**
 * A whole file is checked and its lines are stored. Nothing is sent to the service, and an interrupted upload
 * leaves nothing. Throws `NotAllowed` and `Refused`.
 * @param most people of the file
 */
export async function checkImport(
  caller: Caller,
  file: { readonly name: string; readonly content: AsyncIterable<Uint8Array> },
  source: CallSource,
  most = mostPeople,
): Promise<{ readonly importId: string }> {
  requirePermission(caller, 'manage-people')
  const lines = await judgeFile(file.content, most)
  if (lines.length === 0) throw new Refused('import-empty')
  const importId = uuidv7()
  await inTransaction(pool(), async (tx) => {
    const broken = lines.filter(({ judged }) => judged.kind === 'broken').length
    const created = lines.filter(({ judged }) => judged.kind === 'new').length
    await tx.query(INSERT, [
      importId,
      textParameter(file.name.slice(0, 200)),
      caller.id,
      lines.length,
      broken,
      created,
    ])
    await insertRows(tx, importId, lines)
    const details = { lines: lines.length, broken, created }
    const entry = {
      actor: caller,
      action: 'user.import-check',
      target: importId,
      outcome: 'done',
      details,
    } as const
    await recordAudit(tx, entry, source)
  })
  return { importId }
}

async function judgeFile(content: AsyncIterable<Uint8Array>, most: number): Promise<CheckedLine[]> {
  const judgeTogether = await openJudge()
  const checked: CheckedLine[] = []
  const lines = readFileLines(content)
  const first = await nextHeading(lines)
  const named = namedSeparator(first ?? '')
  const heading = named === null ? first : await nextHeading(lines)
  if (heading === null) return []
  const columns = readHeading(heading, named)
  for await (const { number, text } of joinQuotedLines(lines, columns)) {
    if (checked.length === most) throw new Refused('import-too-long', { most: most.toLocaleString('en') })
    checked.push({ line: number, judged: judgeTogether(number, judgeLine(text, columns)) })
    if (checked.length % linesPerTurn === 0) await setImmediate()
  }
  return withoutKnownAddresses(checked)
}

/** One line cannot know the countries, the lines before it, and the erased uuids. */
async function openJudge(): Promise<(line: number, judged: JudgedLine) => JudgedLine> {
  const [countries, { rows }] = await Promise.all([
    listCountries(),
    pool().query<{ user_digest: Buffer }>('SELECT user_digest FROM erasure'),
  ])
  const supported = new Set(countries.map(({ code }) => code))
  const erased = new Set(rows.map(({ user_digest }) => user_digest.toString('hex')))
  const isErased = (userUuid: string) => erased.size > 0 && erased.has(userDigest(userUuid).toString('hex'))
  const firstLineOf = new Map<string, number>()
  return (line, judged) => {
    if (judged.kind === 'broken') return judged
    const key = judged.kind === 'existing' ? judged.userUuid : exactEmail(judged.email)
    const first = firstLineOf.get(key)
    if (first !== undefined) return { kind: 'broken', error: `The same person is in line ${first} already.` }
    firstLineOf.set(key, line)
    if (judged.kind === 'existing') return isErased(judged.userUuid) ? wasErased : judged
    return supported.has(judged.country) ? judged : unsupported(judged.country)
  }
}

/** A person whose address the directory has, in any spelling of its host, is not new; an erased person is not taken back. */
async function withoutKnownAddresses(lines: readonly CheckedLine[]): Promise<CheckedLine[]> {
  const keys = lines.flatMap(({ judged }) => (judged.kind === 'new' ? [emailKey(judged.email)] : []))
  const [isErasedAddress, { rows }] = await Promise.all([
    erasedAddresses(pool()),
    pool().query<{ email: string | null }>('SELECT email FROM person WHERE email_key = ANY($1)', [keys]),
  ])
  const known = new Set(rows.map(({ email }) => exactEmail(email ?? '')))
  return lines.map(({ line, judged }) => {
    if (judged.kind !== 'new') return { line, judged }
    if (known.has(exactEmail(judged.email))) return { line, judged: isKnown }
    return { line, judged: isErasedAddress(judged.email) ? wasErased : judged }
  })
}

const broken = (error: string): JudgedLine => ({ kind: 'broken', error })
const wasErased = broken('This person was erased here and is not taken back.')
/** Only the two letters of the country are stored with the reason; any other value could say who somebody is. */
const unsupported = (country: string) => broken(`Country: the provider does not support ${country}.`)
const isKnown = broken('The directory has somebody with this e-mail address already.')

/** One statement inserts this many rows. */
const rowsOfStatement = 2_000

async function insertRows(tx: Transaction, importId: string, lines: readonly CheckedLine[]): Promise<void> {
  for (let from = 0; from < lines.length; from += rowsOfStatement) {
    const rows = lines.slice(from, from + rowsOfStatement).map(({ line, judged }) => ({
      line,
      state: judged.kind === 'broken' ? 'broken' : 'waiting',
      error: judged.kind === 'broken' ? judged.error : null,
      user_uuid: judged.kind === 'existing' ? judged.userUuid : null,
      ...(judged.kind === 'new'
        ? {
            email: judged.email,
            first_name: judged.firstName,
            last_name: judged.lastName,
            country: judged.country,
          }
        : {}),
      customer_number: judged.kind === 'broken' ? null : judged.customerNumber,
    }))
    await tx.query(ROWS, [importId, JSON.stringify(rows)])
    await setImmediate()
  }
}

const INSERT = `
  INSERT INTO user_import (id, file_name, actor, state, total, broken, created)
  VALUES ($1, $2, $3, 'checked', $4, $5, $6)`

const columns = `line, state, user_uuid, email, first_name, last_name, country, customer_number, error`

const ROWS = `
  INSERT INTO user_import_row (import_id, ${columns})
  SELECT $1::uuid, ${columns} FROM json_to_recordset($2::json) AS given (
    line int, state text, user_uuid uuid, email text, first_name text, last_name text, country text,
    customer_number text, error text)`
