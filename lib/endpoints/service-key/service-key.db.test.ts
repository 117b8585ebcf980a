import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { openListener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { InvalidInput, NotAllowed, Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { listSupportedCountries } from '#lib/service/operations.ts'
import { serviceClient, setApiKey } from '#lib/service/service-client.ts'
import { callerWith } from '../../../test/callers.ts'
import { admin, browser, reason } from '../../../test/endpoints.ts'
import { testKey } from '../../../test/ingest.ts'
import { captureLog } from '../../../test/log.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { gaps, watch } from '../../../test/watched.ts'
import { changeApiKey, followApiKey } from './change-api-key.ts'
import { readServiceState } from './service-state.ts'
import { fingerprint, moveApiKey, readStoredApiKey, storeApiKey } from './stored-api-key.ts'

let service: TestService
let logged: ReturnType<typeof captureLog>

beforeAll(async () => {
  service = await startService()
  // The service has revoked the key that the server was started with (§5.4).
  vi.stubEnv('SERVICE_API_KEY', 'a-revoked-key')
  logged = captureLog()
})
beforeEach(async () => {
  setApiKey(null)
  await pool().query(`TRUNCATE gap, setting, lease, audit, admin_notice`)
})
afterAll(async () => {
  logged.stop()
  setApiKey(null)
  await service.stop()
})

const ask = () => listSupportedCountries(serviceClient())
const change = (apiKey: string) => changeApiKey(admin, { apiKey, reason }, browser)

describe('a key that the service refuses', () => {
  it('is seen by the watcher, and makes a gap for as long as it lasts', async () => {
    await watch()
    expect(await readServiceState()).toMatchObject({ look: 'key-refused', seenAt: null })
    const [gap] = await gaps()
    expect(gap).toMatchObject({ kind: 'key-refused', endedAt: null })
    await watch()
    expect(await gaps()).toEqual([gap])
    expect((await pool().query('SELECT kind FROM admin_notice')).rows).toEqual([{ kind: 'key-refused' }])
    await change(service.apiKey)
    // The gap ends in the same transaction, before any round of the watcher.
    expect(await readServiceState()).toMatchObject({ look: 'seen' })
    const ended = await gaps()
    expect(ended).toMatchObject([{ id: gap?.id, endedAt: expect.any(String) }])
    await watch()
    expect(await readServiceState()).toMatchObject({ look: 'seen' })
    expect(await gaps()).toEqual(ended)
  })

  it('is told to admins once, however often the service does not answer meanwhile', async () => {
    const notices = async () => (await pool().query('SELECT FROM admin_notice')).rowCount
    await watch()
    for (let n = 0; n < 2; n++) {
      // Each check is repeated once.
      service.answerWith(503, () => true, 2)
      await watch()
      expect(await readServiceState()).toMatchObject({ look: 'unanswered', keyRefused: true })
      await watch()
      expect(await readServiceState()).toMatchObject({ look: 'key-refused', keyRefused: true })
    }
    expect(await notices()).toBe(1)
    setApiKey(service.apiKey)
    await watch()
    expect(await readServiceState()).toMatchObject({ look: 'seen', keyRefused: false })
    setApiKey('revoked-again')
    await watch()
    expect(await notices()).toBe(2)
  })
})

describe('another key', () => {
  it('takes over without a restart, here and in every process that follows it', async () => {
    const listener = openListener(env().databaseDirectUrl)
    try {
      await followApiKey(pool(), listener)
      await expect(ask()).rejects.toThrow(ServiceError)
      await change(service.apiKey)
      expect(await ask()).not.toEqual([])
      // Another process learns of the key only by the notification.
      setApiKey(null)
      await pool().query(`SELECT pg_notify('service_api_key', '')`)
      await expect.poll(() => globalThis.rampartApiKey).toBe(service.apiKey)
    } finally {
      await listener.close()
    }
  })

  it('is stored sealed, and the audit names it by its fingerprint', async () => {
    await change(service.apiKey)
    const { rows } = await pool().query(
      'SELECT value::text AS text FROM setting UNION ALL SELECT details::text FROM audit',
    )
    expect(rows).not.toEqual([])
    for (const { text } of rows) expect(text).not.toContain(service.apiKey)
    expect((await pool().query('SELECT action, details FROM audit')).rows).toEqual([
      {
        action: 'service.key-change',
        details: {
          before: { fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) },
          after: { fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) },
        },
      },
    ])
    expect(await readStoredApiKey(pool(), 'a-revoked-key')).toBe(service.apiKey)
  })

  it('gives way to a SERVICE_API_KEY that was changed after it', async () => {
    await change(service.apiKey)
    expect(await readStoredApiKey(pool(), 'a-key-of-next-year')).toBeNull()
  })

  it('from the command gives way to it too, in a copy without a key at once', async () => {
    const give = () =>
      inTransaction(pool(), (tx) =>
        storeApiKey(tx, { apiKey: 'of-the-command', configured: null, givenBy: null }),
      )
    await give()
    expect(await readStoredApiKey(pool(), 'old')).toBe('of-the-command')
    expect(await readStoredApiKey(pool(), 'next-year')).toBeNull()
    expect(await readStoredApiKey(pool(), 'none')).toBeNull()
    expect(await readStoredApiKey(pool(), 'old')).toBe('of-the-command')
    // The copy is the first that reads the key, and later gets one of its own.
    await give()
    expect(await readStoredApiKey(pool(), 'none')).toBeNull()
    expect(await readStoredApiKey(pool(), 'of-the-copy')).toBeNull()
    await inTransaction(pool(), (tx) =>
      storeApiKey(tx, { apiKey: 'of-the-command', configured: 'none', givenBy: null }),
    )
    expect(await readStoredApiKey(pool(), 'none')).toBeNull()
  })

  it('from the command is taken by one variable, whoever reads first, and stays taken when its key moves', async () => {
    const given = { apiKey: 'of-the-command', configured: null, givenBy: null }
    await inTransaction(pool(), (tx) => storeApiKey(tx, given))
    const names = ['one', 'two', 'three', 'four']
    const read = await Promise.all(names.map((name) => readStoredApiKey(pool(), name)))
    expect(read.filter((key) => key !== null)).toEqual(['of-the-command'])
    const newer = testKey('k2', 8)
    const moved = await moveApiKey(pool(), [...env().keys, newer], newer)
    expect(moved).toBe(true)
    const { rows } = await pool().query(
      `SELECT value->>'keyId' AS key, value->>'instead' AS instead FROM setting WHERE key = 'service-api-key'`,
    )
    const first = names[read.findIndex((key) => key !== null)] ?? ''
    expect(rows).toEqual([{ key: 'k2', instead: fingerprint(first) }])
  })

  it('cannot be given while SERVICE_API_KEY is none, because it would not count', async () => {
    vi.stubEnv('SERVICE_API_KEY', 'none')
    globalThis.rampartEnv = undefined
    try {
      await expect(change(service.apiKey)).rejects.toThrow(InvalidInput)
      expect((await pool().query('SELECT FROM setting')).rowCount).toBe(0)
    } finally {
      vi.stubEnv('SERVICE_API_KEY', 'a-revoked-key')
      globalThis.rampartEnv = undefined
    }
  })

  it('that the service refuses changes nothing', async () => {
    await expect(change('another-revoked-key')).rejects.toThrow(InvalidInput)
    expect(await readStoredApiKey(pool(), 'a-revoked-key')).toBeNull()
    expect((await pool().query('SELECT FROM audit')).rowCount).toBe(0)
  })

  it('is not accepted while the service does not answer', async () => {
    service.answerWith(503, () => true, 2)
    await expect(change(service.apiKey)).rejects.toThrow(Refused)
    expect(await readStoredApiKey(pool(), 'a-revoked-key')).toBeNull()
  })

  it('is for admins who have just signed in', async () => {
    const form = { apiKey: service.apiKey, reason }
    await expect(changeApiKey(callerWith('support'), form, browser)).rejects.toThrow(NotAllowed)
    const stale = callerWith('admin', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
    await expect(changeApiKey(stale, form, browser)).rejects.toThrow(SignInAgain)
  })
})

describe('a service that does not answer', () => {
  it('makes a gap once it has lasted five minutes, from when it was last seen', async () => {
    setApiKey(service.apiKey)
    await watch()
    // Each check is repeated once.
    service.answerWith(503, () => true, 4)
    await watch()
    expect(await gaps()).toEqual([])
    expect(await readServiceState()).toMatchObject({ look: 'unanswered', seenAt: expect.any(String) })
    const seenAt = new Date(Date.now() - 6 * 60_000).toISOString()
    await pool().query(`UPDATE setting SET value = value || $1 WHERE key = 'service-state'`, [{ seenAt }])
    await watch()
    expect(await gaps()).toMatchObject([{ kind: 'not-seen', beganAt: seenAt, endedAt: null }])
    await watch()
    expect(await gaps()).toMatchObject([{ kind: 'not-seen', endedAt: expect.any(String) }])
  })
})
