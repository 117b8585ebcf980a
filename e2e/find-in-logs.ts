import fs from 'node:fs'
import path from 'node:path'
import type { Information } from '#lib/access/rules/visibility.ts'
import { eventRules } from '../lib/access/rules/events.ts'
import { dataDirVariable, inDatabase } from './database.ts'
import { listMail } from './sandbox.ts'

/**
 * The list names every used secret that appears in a log, as `server.log: a code`. A start without a log proves nothing and
 * counts as a finding, as do sent codes that the mailbox does not know. Call it before the run ends.
 */
export async function findSecretsInLogs(): Promise<string[]> {
  const dataDir = process.env[dataDirVariable] ?? ''
  const made = Object.values(JSON.parse(fs.readFileSync(path.join(dataDir, 'secrets.json'), 'utf8')))
  const codes = (await listMail()).map(({ code }) => code)
  const secrets: [what: string, pattern: RegExp][] = [
    ['a secret of the data directory', anyOf(made.map(String))],
    ['a code', anyOf(codes)],
    ['a session cookie', /eyJhbGciOiJkaXIi/],
    // Session ids of both sides, browser ids and signing secrets are all 32 random bytes in base64url.
    ['a session id or signing secret', /(?<![\w-])[\w-]{43}(?![\w-])/],
  ]
  const texts = readLogs()
  const found = texts.flatMap(({ name, text }) =>
    secrets.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${name}: ${what}`),
  )
  // A run of only a few tests may need no code.
  if (codes.length === 0 && (await inDatabase('SELECT FROM code_request LIMIT 1')).length > 0)
    found.push('not known, since the codes that were sent are not in the mailbox')
  if (texts.every(({ text }) => text === '')) found.push('not known, since nothing was logged')
  return found
}

/**
 * The list names all personal data of this run that appears in a log, as `server.log: e-mail ana@demo.test`. A kind without
 * any value in this run proves nothing and counts as a finding.
 */
export async function findPersonalDataInLogs(): Promise<string[]> {
  const texts = readLogs().map(({ name, text }) => ({ name, text: text.toLowerCase() }))
  const found: string[] = []
  for (const [kind, values] of Object.entries(await listPersonalData())) {
    if (values.size === 0) found.push(`not known, since nobody here has a ${kind}`)
    for (const value of values)
      for (const { name, text } of texts)
        if (text.includes(value) && anyOf([value]).test(text)) found.push(`${name}: ${kind} ${value}`)
  }
  return found
}

/** The list holds personal data, in small letters, of everybody whom the dashboard, its bodies or the service know. */
async function listPersonalData() {
  const kept = (await inDatabase(
    `SELECT concat_ws(' ', first_name, last_name) AS name, email, target_address AS wallet, customer_number FROM person
     UNION ALL SELECT concat_ws(' ', first_name, last_name), email, NULL, customer_number FROM user_import_row
     UNION ALL SELECT name, email, NULL, NULL FROM member
     UNION ALL SELECT name, email, NULL, NULL FROM access_link`,
  )) as Record<'name' | 'email' | 'wallet' | 'customer_number', string | null>[]
  const atService = (await inDatabase(
    `SELECT concat_ws(' ', first_name, last_name) AS name, email, target_address AS wallet, phone,
       date_of_birth::text AS birth_date FROM account`,
    [],
    'sandbox',
  )) as Record<'name' | 'email' | 'wallet' | 'phone' | 'birth_date', string | null>[]
  const said = (
    (await inDatabase(`SELECT convert_from(body, 'UTF8') AS body FROM delivery`)) as { body: string }[]
  ).flatMap(({ body }) => personalFields(body))
  const saidOf = (...sorts: Information[]) =>
    said.flatMap(([sort, value]) => (sorts.includes(sort) ? value : []))
  const accounts = saidOf('account-number', 'own-account-number')
  const people = [...kept, ...atService]
  return {
    name: distinct([...people.map(({ name }) => name), ...saidOf('counterparty')]),
    'e-mail': distinct([...people.map(({ email }) => email), ...saidOf('person')]),
    wallet: distinct([...people.map(({ wallet }) => wallet), ...saidOf('wallet')]),
    'account number': distinct([
      ...accounts,
      ...accounts.map((number) => number.replace(/.{4}(?=.)/g, '$& ')),
    ]),
    'customer number': distinct(kept.map(({ customer_number }) => customer_number)),
    phone: distinct(atService.map(({ phone }) => phone)),
    'birth date': distinct(atService.map(({ birth_date }) => birth_date)),
  }
}

/** The table of events calls these values of a body personal. */
function personalFields(body: string): [sort: Information, value: string][] {
  const envelope = parse(body)
  const type = fieldOf(envelope, ['type'])
  return Object.entries(eventRules(typeof type === 'string' ? type : null).data).flatMap(([field, sort]) => {
    const value = fieldOf(envelope, ['data', ...field.split('.')])
    return typeof value === 'string' ? [[sort, value] as [Information, string]] : []
  })
}

/** Some tests send bodies that are not JSON. */
function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

const fieldOf = (value: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>(
    (inside, name) => (typeof inside === 'object' && inside !== null ? Reflect.get(inside, name) : undefined),
    value,
  )

/** Very short values are left out, because a log may contain them by chance. */
const distinct = (values: readonly (string | null)[]) =>
  new Set(values.flatMap((value) => (value && value.length > 5 ? [value.toLowerCase()] : [])))

function readLogs() {
  const logs = path.join(process.env[dataDirVariable] ?? '', 'logs')
  return fs
    .readdirSync(logs)
    .map((name) => ({ name, text: withoutEscapes(fs.readFileSync(path.join(logs, name), 'utf8')) }))
}

/** The letter of an escaped line break in JSON would count as part of the next word. */
const withoutEscapes = (text: string) => text.replace(/\\([bfnrt]|u[0-9a-f]{4})/g, ' ')

/** An empty list of words matches nothing. */
const anyOf = (words: readonly string[]) =>
  words.length === 0
    ? /(?!)/
    : new RegExp(`(?<!\\w)(${words.map((word) => word.replace(/[^\w]/g, '\\$&')).join('|')})(?!\\w)`)
