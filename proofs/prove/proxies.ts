import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Browser } from '@playwright/test'
import pg from 'pg'
import { failedResult, passedResult, type Result, skippedResult, sumResults } from '../../bin/check/result.ts'
import { freePort } from '../../bin/postgres.ts'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { toKeys } from '../../lib/platform/env.ts'
import { secretDigester } from '../../lib/platform/keys/digests-and-seals.ts'
import { makeAuthority } from '../../test/certificates.ts'
import { endInOrder, openBrowser, startRampart } from '../bench/installation/installation.ts'
import { CannotRunHere, newKeys, waitUntilFolded } from './faults/test-bed.ts'
import { type BrowserStage, browse, cookieOf, nobodysElse } from './proxies/browse.ts'
import {
  ask,
  type Deliveries,
  idlePosts,
  largeBodies,
  longStream,
  reloadedPage,
  reloads,
} from './proxies/exchange.ts'
import { proxies, type RunningProxy } from './proxies/programs.ts'

export const when =
  'time-outs of the server, live streams or a block of docs/proxies.md changed; 25 minutes, `short` 8'

/** The waves of POSTs are these seconds apart: about as long as Node by itself keeps a connection, and up to a minute. */
const waits = [1, 2, 3, 4, 5, 5.95, 6, 6.05, 10, 20, 30, 60].map((seconds) => seconds * 1_000)
const shortWaits = [1, 5.95, 6, 6.05].map((seconds) => seconds * 1_000)

/**
 * The proof puts each proxy of docs/proxies.md in front of one installation, with the block of that page.
 * @param words `short` shortens what waits; names of proxies, all by default
 */
export default async function proveProxies(words: string[]): Promise<Result> {
  const short = words.includes('short')
  const named = words.filter((word) => word !== 'short')
  const chosen = Object.entries(proxies).filter(([name]) => named.length === 0 || named.includes(name))
  const postgres = await startTemporaryPostgres('proxies')
  const authority = makeAuthority()
  const certified = authority.certify('localhost')
  const [port, rampart, sandboxPort] = [await freePort(), await freePort(), await freePort()]
  const url = `https://localhost:${port}`
  const caFile = path.join(postgres.folder, 'ca.pem')
  fs.writeFileSync(caFile, authority.cert)
  const place = (name: string) => {
    const folder = path.join(postgres.folder, name)
    fs.mkdirSync(folder, { mode: 0o711 })
    return { folder, port, rampart, certified }
  }
  const keys = newKeys()
  const results: Result[] = []
  let installation: Awaited<ReturnType<typeof startRampart>> | undefined
  let browser: Browser | undefined
  const databaseUrl = await postgres.create('rampart')
  const database = new pg.Client({ connectionString: databaseUrl })
  try {
    await database.connect()
    installation = await startRampart({
      PORT: String(rampart),
      SANDBOX_PORT: String(sandboxPort),
      PUBLIC_URL: url,
      NODE_EXTRA_CA_CERTS: caFile,
      RAMPART_DATA_DIR: path.join(postgres.folder, 'data'),
      DATABASE_URL: databaseUrl,
      SANDBOX_DATABASE_URL: await postgres.create('sandbox'),
      NEXTAUTH_SECRET: crypto.randomBytes(32).toString('base64'),
      RAMPART_KEYS: keys,
    })
    browser = await openBrowser()
    const stage = { browser, url, sandboxUrl: `http://localhost:${sandboxPort}`, failures: [] }
    const on: Deliveries = {
      address: { port, ca: authority.cert },
      receiver: await addReceiver(database, keys),
      async countEvents(subType) {
        await waitUntilFolded(databaseUrl)
        const { rows } = await database.query<{ count: number }>(
          'SELECT count(*)::int AS count FROM event WHERE sub_type = $1',
          [subType],
        )
        return rows[0]?.count ?? 0
      },
    }
    for (const [name, start] of chosen) {
      // All requests come from one address and one person, who signs in repeatedly.
      await database.query('DELETE FROM rate_limit')
      results.push(await tryProxy(name, () => start(place(name)), stage, on, short))
    }
  } finally {
    await browser?.close()
    await endInOrder(installation)
    await database.end()
    await postgres.stop()
  }
  return sumResults(results)
}

async function tryProxy(
  name: string,
  start: () => Promise<RunningProxy>,
  stage: BrowserStage,
  on: Deliveries,
  short: boolean,
): Promise<Result> {
  let proxy: RunningProxy | undefined
  try {
    const running = await start()
    proxy = running
    const say = (line: string) => console.log(`${name}: ${line}`)
    const { staff, said } = await browse(stage)
    say(said)
    const cookie = await cookieOf(staff)
    await staff.close()
    say(await nobodysElse(stage, on.address))
    if (stage.failures.length > 0) throw new Error(stage.failures.splice(0).join('; '))
    say(await reloadedPage(on.address, cookie))
    say(await largeBodies(on))
    const posts = () => idlePosts(on, short ? shortWaits : waits, short ? 30 : 40)
    const change = async () => {
      const { id, authorization } = on.receiver
      const body = JSON.stringify({ type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: {} })
      await ask(on.address, {
        path: `/api/webhooks/${id}`,
        method: 'POST',
        headers: { authorization },
        body,
      })
    }
    say(await longStream(on.address, cookie, posts, short ? 30 : 180, change))
    say(await reloads(on, running, name, short ? 10 : 60))
    return passedResult
  } catch (error) {
    if (error instanceof CannotRunHere) {
      console.log(`${name}: SKIPPED, ${error.message}`)
      return skippedResult(`proxies ${name} (${error.message})`)
    }
    console.error(`${name}: FAILED`, error)
    return failedResult(`proxies ${name}`, error)
  } finally {
    stage.failures.length = 0
    for (const context of stage.browser.contexts()) await context.close()
    await proxy?.stop()
  }
}

async function addReceiver(database: pg.Client, keys: string) {
  const [id, secret] = [crypto.randomUUID(), crypto.randomBytes(24).toString('base64url')]
  const { digest, keyId } = secretDigester(toKeys(keys)).digest(secret)
  await database.query(
    `INSERT INTO receiver (id, state, secret_digest, secret_key_id) VALUES ($1, 'active', $2, $3)`,
    [id, digest, keyId],
  )
  await database.query(
    `INSERT INTO receiver_period (receiver_id, began_at, events, last_seen_at) VALUES ($1, now(), '{*}', now())`,
    [id],
  )
  return { id, authorization: `API-Key ${secret}` }
}
