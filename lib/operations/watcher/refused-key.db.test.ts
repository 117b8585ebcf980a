import { afterAll, beforeAll, expect, it } from 'vitest'
import { announceRefusedKey, readServiceState } from '#lib/endpoints/service-key/service-state.ts'
import { listener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { listSupportedCountries } from '#lib/service/operations.ts'
import { serviceClient, setApiKey } from '#lib/service/service-client.ts'
import { captureLog } from '../../../test/log.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { gaps } from '../../../test/watched.ts'
import { startWatcher, type Watcher } from './watcher.ts'

let service: TestService
let logged: ReturnType<typeof captureLog>
let watcher: Watcher

const anHour = 3_600_000
const patiently = { timeout: 20_000 }
const outcome = async () => (await readServiceState())?.look
const call = () =>
  expect(listSupportedCountries(serviceClient())).rejects.toMatchObject({ code: 'unauthorized' })

beforeAll(async () => {
  service = await startService()
  logged = captureLog()
  announceRefusedKey(pool())
  watcher = startWatcher(pool(), anHour)
})
afterAll(async () => {
  logged.stop()
  setApiKey(null)
  globalThis.rampartKeyRefused = undefined
  await watcher.stop()
  await listener().close()
  globalThis.rampartListener = undefined
  await service.stop()
})

it('a call with a refused key makes it known at once: as a gap, and to admins once', async () => {
  await expect.poll(outcome, patiently).toBe('seen')
  setApiKey('a-revoked-key')
  // The call is repeated, since the listener may still be connecting.
  await expect.poll(() => call().then(outcome), patiently).toBe('key-refused')
  await call()
  expect(await gaps()).toMatchObject([{ kind: 'key-refused', endedAt: null }])
  expect((await pool().query('SELECT kind FROM admin_notice')).rows).toEqual([{ kind: 'key-refused' }])
})
