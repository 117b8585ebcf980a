import type pg from 'pg'
import { moveApiKey, readKeyOfApiKey } from '#lib/endpoints/service-key/stored-api-key.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { readKeysOfOthers } from '#lib/platform/keys/agree-on-keys.ts'
import { countLinksByKey, moveLinks } from '#lib/search/search-link.ts'
import { formatPlainDuration } from '#lib/words/labels/duration.ts'
import { commandKeys, keyToWrite } from './command-keys.ts'
import { databaseAddress } from './database-address.ts'

/** Says what each key of `RAMPART_KEYS` still holds and whether it may go; `move` moves what waits for nobody. */
export async function keysCommand([word, ...more]: readonly string[]): Promise<number> {
  if (more.length > 0 || (word !== undefined && word !== 'move')) {
    console.error('Say "keys", or "keys move".')
    return 2
  }
  const keys = commandKeys()
  if (!keys) {
    console.error('RAMPART_KEYS is missing. Give the command what the servers have.')
    return 1
  }
  const pool = openPool(databaseAddress(), 1)
  try {
    const key = await keyToWrite(pool, keys)
    if (word === 'move') {
      const links = await moveLinks(pool, keys, key)
      const apiKey = await moveApiKey(pool, keys, key)
      console.log(
        `Moved to ${key.id}: ${counted(links, 'link')} of searches${apiKey ? ', the API key' : ''}.`,
      )
    }
    return await printKeys(
      pool,
      keys.map(({ id }) => id),
      key.id,
    )
  } finally {
    await pool.end()
  }
}

async function printKeys(pool: pg.Pool, given: readonly string[], writes: string): Promise<number> {
  const held = await readHeld(pool)
  const servers = await readKeysOfOthers(pool)
  const known = servers.flatMap((ids) => (ids && ids.length > 0 ? [ids] : []))
  const missing = [...held.keys()].filter((id) => !given.includes(id))
  const all = [...given, ...missing]
  const width = Math.max(...all.map((id) => id.length))
  for (const id of all) {
    const having = known.filter((ids) => ids.includes(id)).length
    const what = held.get(id)?.map(({ words }) => words) ?? []
    console.log(
      `${id.padEnd(width)}  ${id === writes ? 'writes' : 'reads '}  ${having} of ${counted(servers.length, 'running server')}  holds ${what.join(', ') || 'nothing'}`,
    )
  }
  for (const id of all.filter((id) => id !== writes)) {
    const ends = [...new Set(held.get(id)?.map(({ end }) => end))]
    const newer = given.indexOf(id) >= 0 && given.indexOf(id) < given.indexOf(writes)
    if (missing.includes(id)) console.log(`${id} is missing from RAMPART_KEYS: put it back, last.`)
    else if (newer) console.log(`${id} writes as soon as every running server has it.`)
    else if (ends.length > 0) console.log(`${id} must stay: ${ends.join('; ')}.`)
    else console.log(`${id} may go from RAMPART_KEYS, on one server after another.`)
  }
  return missing.length > 0 ? 1 : 0
}

/** Something that is kept under a key. */
interface Held {
  readonly words: string
  /** How it comes to be under another. */
  readonly end: string
}

async function readHeld(pool: pg.Pool): Promise<ReadonlyMap<string, readonly Held[]>> {
  const held = new Map<string, Held[]>()
  const add = (keyId: string, one: Held) => held.set(keyId, [...(held.get(keyId) ?? []), one])
  const { rows: receivers } = await pool.query<{ key_id: string; count: number }>(RECEIVERS)
  for (const { key_id: keyId, count } of receivers)
    add(keyId, {
      words: `the secrets of ${counted(count, 'endpoint')}`,
      end: 'a secret moves with the next delivery of its endpoint, or when it is rotated',
    })
  const { rows: sessions } = await pool.query<{ key_id: string; count: number; seconds: number }>(SESSIONS)
  for (const { key_id: keyId, count, seconds } of sessions)
    add(keyId, {
      words: counted(count, 'session'),
      end: `sessions end by themselves, the last within ${formatPlainDuration(seconds)}`,
    })
  const { rows: mails } = await pool.query<{ key_id: string; count: number }>(MAILS)
  for (const { key_id: keyId, count } of mails)
    add(keyId, { words: counted(count, 'mail'), end: 'mails end by themselves, the last within a day' })
  const movable = '"npm run rampart keys move" moves the rest'
  for (const [keyId, count] of await countLinksByKey(pool))
    add(keyId, { words: `${counted(count, 'link')} of searches`, end: movable })
  const ofApiKey = await readKeyOfApiKey(pool)
  if (ofApiKey !== null) add(ofApiKey, { words: 'the API key given here', end: movable })
  return held
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

const RECEIVERS = `
  SELECT secret_key_id AS key_id, count(*)::int AS count FROM receiver
  WHERE state <> 'closed' AND secret_key_id IS NOT NULL GROUP BY 1`

const MAILS = `
  SELECT key_id, count(*)::int AS count FROM mail WHERE key_id IS NOT NULL GROUP BY 1`

const SESSIONS = `
  SELECT key_id, count(DISTINCT id)::int AS count, extract(epoch FROM max(expires_at) - now())::int AS seconds
  FROM session CROSS JOIN unnest(ARRAY[service_key_id, sso_token_key_id]) AS key_id
  WHERE key_id IS NOT NULL AND ended_at IS NULL AND expires_at > now() GROUP BY 1`
