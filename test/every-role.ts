import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { may, type Role, roles } from '#lib/access/rules/roles.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { startDatabase } from './database.ts'
import type { For } from './entries.ts'
import { startServer } from './next-server.ts'
import { type Kind, kinds, makeOthersThings } from './others-things.ts'

/** The pages run as in production, with a session for each role and with things that belong to somebody else. */
export async function startForEveryRole() {
  const database = await startDatabase()
  const pool = openPool(database.url)
  const things = await makeOthersThings(pool)
  const server = await startServer(database.url)
  const ana = crypto.randomUUID()
  const cookies = new Map<Role, string>()
  for (const role of roles)
    cookies.set(role, await server.signIn(pool, role, role === 'end-user' ? ana : crypto.randomUUID()))
  return {
    pool,
    server,
    things,
    ana,
    cookieOf: (role: Role) => cookies.get(role) ?? '',
    /** The cookie belongs to a new session, for requests that may end it. */
    newCookie: (role: Role) => server.signIn(pool, role),
    async stop() {
      await server.stop()
      await pool.end()
      await database.stop()
    },
  }
}

export type EveryRole = Awaited<ReturnType<typeof startForEveryRole>>

/** The answer to such a request is not compressed, which would take the server as long as many an answer itself. */
export const uncompressed = { 'accept-encoding': 'identity' }

/** The answer is true when the table lets this role in. */
export function mayUse(role: Role, who: For): boolean {
  if (who === 'anyone' || who === 'signed-in') return true
  if (who === 'nobody' || who === 'service' || who === 'provider') return false
  return typeof who === 'string' ? may(role, who) : who.every((one) => may(role, one))
}

export type Ids = Readonly<Record<Kind, string>>

/** Nothing has these ids. */
export const unknownIds = (): Ids =>
  Object.fromEntries(kinds.map((kind) => [kind, crypto.randomUUID()])) as Record<Kind, string>

const placeholder = new RegExp(`:(${kinds.join('|')})\\b`, 'g')

/** The answer is true when an address, or a body, names a thing. */
export const namesThing = (text: string): boolean => text.search(placeholder) >= 0

export const withIds = (text: string, ids: Ids): string =>
  text.replace(placeholder, (_all, kind: Kind) => ids[kind])

const app = path.join(import.meta.dirname, '../app')

/** Files of this name are listed by their path under `app`. */
export const filesOf = (name: string): string[] =>
  fs
    .globSync(`**/${name}`, { cwd: app })
    .map((file) => file.split(path.sep).join('/'))
    .toSorted()

export const sourceOf = (file: string): string => fs.readFileSync(path.join(app, file), 'utf8')

/** The words of an answer leave out what differs each time: parts of ids, and the number of pieces. */
export const wordsOf = (text: string): readonly string[] => {
  const all = text
    .replace(/<script[^>]*>(?:requestAnimationFrame|\$R).*?<\/script>/gs, '')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[\w-]{21}(?=\\?")/g, '')
    .match(/[a-z]{4,}/gi)
  return [...new Set(all)].filter((word) => !/^[a-f]+$/.test(word)).toSorted()
}
