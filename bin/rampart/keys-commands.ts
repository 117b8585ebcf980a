import { text } from 'node:stream/consumers'
import type pg from 'pg'
import { moveService, type ServiceMove } from '#lib/endpoints/service-key/change-api-key.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { noCallSource } from '../../lib/access/caller.ts'
import { tellAdmins } from '../../lib/audit/notices/notices.ts'
import { commandLine, recordAudit } from '../../lib/audit/record-audit.ts'
import {
  ApiKeySchema,
  fingerprint,
  moveApiKey,
  noApiKey,
  readKeyOfApiKey,
  readStoredApiKey,
  storeApiKey,
} from '../../lib/endpoints/service-key/stored-api-key.ts'
import { countChannelsByKey, moveChannels } from '../../lib/operations/alerts/channel-store.ts'
import { inTransaction } from '../../lib/platform/db/in-transaction.ts'
import { openPool } from '../../lib/platform/db/pool.ts'
import { serviceSchema } from '../../lib/platform/env/web-address.ts'
import {
  env,
  type Key,
  readCommandApiKey,
  readCommandKeys,
  readDatabaseSettings,
  toKeys,
} from '../../lib/platform/env.ts'
import {
  agreeOnKeys,
  readKeysOfOthers,
  readWrongKeyIds,
  rememberKeys,
} from '../../lib/platform/keys/agree-on-keys.ts'
import { secretDigester } from '../../lib/platform/keys/digests-and-seals.ts'
import { OperatorError } from '../../lib/platform/operator-error.ts'
import { countLinksByKey, moveLinks } from '../../lib/search/search-link.ts'
import { formatPlainDuration } from '../../lib/words/labels/duration.ts'
import { readSecrets } from '../data-directory.ts'
import { databaseAddress, NotRunning, takeServerSettings } from './database-address.ts'

/**
 * The command reports what each key of `RAMPART_KEYS` still holds and when it may go. `move` moves links of
 * searches, channels of alerts and the API key to the key that writes.
 */
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
    const wrong = await readWrongKeyIds(pool, secretDigester(keys))
    if (wrong.size > 0) {
      console.error(sayWrong(wrong))
      return 1
    }
    const key = await keyToWrite(pool, keys, wrong)
    if (word === 'move') {
      await rememberKeys(pool, secretDigester([key]))
      const links = await moveLinks(pool, keys, key)
      const channels = await moveChannels(pool, keys, key)
      const apiKey = await moveApiKey(pool, keys, key)
      const ofChannels = channels > 0 ? `, ${counted(channels, 'address', 'addresses')} of channels` : ''
      console.log(
        `Moved to ${key.id}: ${counted(links, 'link')} of searches${ofChannels}${apiKey ? ', the API key' : ''}.`,
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

/** A held item is kept under a key. */
interface Held {
  readonly words: string
  /** The text says how the item gets another key. */
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
  for (const [keyId, count] of await countChannelsByKey(pool))
    add(keyId, { words: `${counted(count, 'channel')} of alerts`, end: movable })
  const ofApiKey = await readKeyOfApiKey(pool)
  if (ofApiKey !== null) add(ofApiKey, { words: 'the API key given here', end: movable })
  return held
}

const counted = (count: number, what: string, many = `${what}s`) => `${count} ${count === 1 ? what : many}`

const RECEIVERS = `
  SELECT secret_key_id AS key_id, count(*)::int AS count FROM receiver
  WHERE state <> 'closed' AND secret_key_id IS NOT NULL GROUP BY 1`

const MAILS = `
  SELECT key_id, count(*)::int AS count FROM mail WHERE key_id IS NOT NULL GROUP BY 1`

const SESSIONS = `
  SELECT key_id, count(DISTINCT id)::int AS count, extract(epoch FROM max(expires_at) - now())::int AS seconds
  FROM session CROSS JOIN unnest(ARRAY[service_key_id, sso_token_key_id]) AS key_id
  WHERE key_id IS NOT NULL AND ended_at IS NULL AND expires_at > now() GROUP BY 1`

/**
 * The command takes over another API key when nobody can sign in to enter it. It reads the key from standard input and shows
 * it nowhere. All admins are notified.
 */
export async function serviceKeyCommand(words: readonly string[]): Promise<number> {
  const reason = words.join(' ').trim()
  if (reason.length < 3) {
    console.error('Say why, for the audit: npm run rampart service-key REASON… < FILE')
    return 2
  }
  const keys = commandKeys()
  if (!keys) {
    console.error('RAMPART_KEYS is missing: the key is kept sealed under it.')
    return 1
  }
  const variable = readCommandApiKey()
  if (variable === noApiKey) {
    console.error('SERVICE_API_KEY is none, so no other key counts. Nothing was changed.')
    return 1
  }
  if (process.stdin.isTTY) console.error('Paste the API key, then press Enter and Ctrl-D.')
  const apiKey = ApiKeySchema.safeParse(await text(process.stdin)).data
  if (apiKey === undefined) {
    console.error('An API key is printable characters without spaces. Nothing was changed.')
    return 1
  }
  // A variable that has this key already is newer than the one of the servers that run.
  const configured = variable === apiKey ? null : variable
  const pool = openPool(databaseAddress(), 1)
  try {
    const key = await keyToWrite(pool, keys, await readWrongKeyIds(pool, secretDigester(keys)))
    await rememberKeys(pool, secretDigester([key]))
    await inTransaction(pool, async (tx) => {
      await storeApiKey(tx, { apiKey, configured, givenBy: null }, key)
      const change = { before: {}, after: { fingerprint: fingerprint(apiKey) } }
      const entry = { actor: commandLine, action: 'service.key-change', outcome: 'done' } as const
      await recordAudit(tx, { ...entry, reason, change }, noCallSource)
      await tellAdmins(tx, { kind: 'key-changed', actor: null, reason })
    })
    console.log(
      'Rampart uses this key from now on. The page Settings says within a minute whether the service takes it.',
    )
    return 0
  } finally {
    await pool.end()
  }
}

/**
 * The keys are those of `RAMPART_KEYS`, or else of the data directory, or null. The function throws `ConfigurationError`.
 */
export function commandKeys(): readonly [Key, ...Key[]] | null {
  const given = readCommandKeys() ?? readSecrets(readDatabaseSettings().dataDir)?.keys
  return given ? toKeys(given) : null
}

/** The error means that no key of a command is right, or that none can be read by all running servers. */
class NoCommonKey extends OperatorError {}

const sayWrong = (ids: ReadonlySet<string>) =>
  [...ids]
    .map((id) => `${id} is not the key that this database knows: put the right value back into RAMPART_KEYS.`)
    .join('\n')

/**
 * The running servers can read what a command keeps under this key. The function throws `NoCommonKey`.
 * @param wrong the ids of those keys that are not the ones of the database
 */
async function keyToWrite(
  pool: pg.Pool,
  keys: readonly [Key, ...Key[]],
  wrong: ReadonlySet<string>,
): Promise<Key> {
  const others = await readKeysOfOthers(pool)
  const ids = keys.map(({ id }) => id)
  const [newest, ...older] = ids.filter((id) => !wrong.has(id))
  if (newest === undefined) throw new NoCommonKey(sayWrong(wrong))
  const { writes } = agreeOnKeys([newest, ...older], others)
  const key = keys.find(({ id }) => id === writes)
  if (!key || others.some((ids) => ids && ids.length > 0 && !ids.includes(key.id)))
    throw new NoCommonKey(
      `RAMPART_KEYS: the servers that run have none of the keys ${ids.join(', ')} in common. Give the command what they have.`,
    )
  return key
}

/** The command moves the installation to another base URL of the same service. */
export async function moveServiceCommand([address = '', ...words]: readonly string[]): Promise<number> {
  const reason = words.join(' ').trim()
  const { data: given, error } = serviceSchema.safeParse(address)
  if (given === undefined || reason.length < 3) {
    const wrong = address === '' || !error ? '' : `${address} ${error.issues[0]?.message}. `
    console.error(`${wrong}Say where to, and why: npm run rampart move-service NEW_BASE_URL REASON…`)
    return 2
  }
  const to = new URL(given)
  const { isStopped, dataDir } = takeServerSettings()
  if (isStopped) throw new NotRunning(`No Rampart is running in ${dataDir}. Start it first: npm run serve`)
  const pool = openPool(env().databaseUrl, 2)
  try {
    const apiKey = (await readStoredApiKey(pool, env().serviceApiKey)) ?? env().serviceApiKey
    const move = await moveService(pool, { to, apiKey, reason })
    if (move.kind === 'refused') {
      console.error(`${refusals[move.why](to.href, move.from ?? '')} Nothing was changed.`)
      return 1
    }
    console.log(
      `Moved from ${move.from} to ${to.href}. ${proofs[move.by]}\nNow set SERVICE_BASE_URL=${to.href} and restart one server after another.\nTo undo: npm run rampart move-service ${move.from} REASON…`,
    )
    return 0
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    console.error(
      `The service at ${to.href} does not answer as it should (${error.message}). Nothing was changed.`,
    )
    return 1
  } finally {
    await pool.end()
  }
}

const refusals = {
  'not-bound': () => 'This database belongs to no service yet: set SERVICE_BASE_URL, and start.',
  sandbox: () => 'This database belongs to Rampart’s own sandbox, whose data no other service knows.',
  same: (to) => `This database belongs to ${to} already.`,
  'key-refused': (to) => `The service at ${to} refuses the API key of this installation.`,
  'not-a-service': (to) => `${to} does not answer as the service does. Write the base URL with its path.`,
  'another-account': (to, from) =>
    `The service at ${to} knows no endpoint and no person of this installation, which belongs to ${from}: it is another environment or another account.`,
} satisfies Record<Extract<ServiceMove, { kind: 'refused' }>['why'], (to: string, from: string) => string>

const proofs = {
  endpoint: 'It knows an endpoint of this installation.',
  person: 'It knows a person of this installation.',
  nothing: 'It takes the API key. This installation knows no endpoint and no person that could be asked for.',
} as const
