import fs from 'node:fs'
import path from 'node:path'
import { inDatabase } from './database.ts'
import { listMail } from './sandbox.ts'

/**
 * Every secret that was used since the start and stands in a log, as `server.log: a code`; a start without a log proves
 * nothing and counts as found, and so do codes that were sent without the mailbox knowing them. To be asked before the end.
 */
export async function findSecretsInLogs(dataDir: string): Promise<string[]> {
  const made = Object.values(JSON.parse(fs.readFileSync(path.join(dataDir, 'secrets.json'), 'utf8')))
  const codes = (await listMail()).map(({ code }) => code)
  const secrets: [what: string, looks: RegExp][] = [
    ['a secret of the data directory', anyOf(made.map(String))],
    ['a code', anyOf(codes)],
    ['a session cookie', /eyJhbGciOiJkaXIi/],
    // Session ids of either side, browser ids and signing secrets are all 32 random bytes in base64url.
    ['a session id or signing secret', /(?<![\w-])[\w-]{43}(?![\w-])/],
  ]
  const logs = path.join(dataDir, 'logs')
  const texts = fs
    .readdirSync(logs)
    .map((name) => ({ name, text: withoutEscapes(fs.readFileSync(path.join(logs, name), 'utf8')) }))
  const found = texts.flatMap(({ name, text }) =>
    secrets.filter(([, looks]) => looks.test(text)).map(([what]) => `${name}: ${what}`),
  )
  // A few tests alone may need no code.
  if (codes.length === 0 && (await inDatabase('SELECT FROM code_request LIMIT 1')).length > 0)
    found.push('not known, since the codes that were sent are not in the mailbox')
  if (texts.every(({ text }) => text === '')) found.push('not known, since nothing was logged')
  return found
}

/** The letter of an escaped line break in JSON would count as part of the word behind it. */
const withoutEscapes = (text: string) => text.replace(/\\([bfnrt]|u[0-9a-f]{4})/g, ' ')

/** Of no words nothing. */
const anyOf = (words: readonly string[]) =>
  words.length === 0
    ? /(?!)/
    : new RegExp(`(?<!\\w)(${words.map((word) => word.replace(/[^\w]/g, '\\$&')).join('|')})(?!\\w)`)
