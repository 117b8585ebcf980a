import { inDatabase } from './database.ts'
import { openOnceItSays } from './open-once.ts'
import { stateOf } from './people.ts'
import { endpointsAtService, sendEvent } from './sandbox.ts'
import { expect, expectWhole, openAlerts, test } from './test.ts'

// The tests run one after the other, so that their faults do not mix.
test.describe.configure({ mode: 'default' })
test.use({ storageState: stateOf('admin@demo.test') })

const demo = 'Rampart (this dashboard)'

/** The demo delivers to this endpoint. */
async function demoEndpoint() {
  const rows = await inDatabase('SELECT endpoint_uuid, receiver_id FROM watched_endpoint WHERE name = $1', [
    demo,
  ])
  const [{ endpoint_uuid: uuid, receiver_id: receiverId }] = rows as [
    { endpoint_uuid: string; receiver_id: string },
  ]
  const url = (await endpointsAtService()).find((one) => one.uuid === uuid)?.url ?? ''
  return { uuid, receiverId, url }
}

/** The value is the watcher's last check of this receiver, in ms since 1970. */
async function lastWatchRound(receiverId: string) {
  const [row] = await inDatabase(
    'SELECT max(last_seen_at) AS at FROM receiver_period WHERE receiver_id = $1',
    [receiverId],
  )
  return (row as { at: Date }).at.getTime()
}

async function countWrongSecrets(receiverId: string): Promise<number> {
  const rows = await inDatabase(
    `SELECT COALESCE(sum(count), 0)::int AS count FROM refusal WHERE receiver_id = $1 AND why = 'wrong-secret'`,
    [receiverId],
  )
  return (rows[0] as { count: number }).count
}

test('a server with a wrong key is on the overview at once, with what to do', async ({ page }) => {
  const server = crypto.randomUUID()
  // A server leaves such a row when it starts.
  await inDatabase(`INSERT INTO lease VALUES ('ingest:' || $1, $1::uuid, 1, now() + interval '1 minute')`, [
    server,
  ])
  await inDatabase(`INSERT INTO key_fault (process, key_id, kind) VALUES ($1, 'k0', 'changed')`, [server])
  const alert = page.getByRole('alert').filter({ hasText: 'the key “k0” has another value' })
  try {
    await page.goto('/overview')
    await openAlerts(page)
    await expect(alert).toContainText('put the earlier value of “k0” back into RAMPART_KEYS')
    await expectWhole(page, 'wrong-key')
  } finally {
    await inDatabase('DELETE FROM lease WHERE holder = $1', [server])
  }
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(alert).toBeHidden()
})

test('a stranger with a wrong secret is reported as such, and nothing is reported missing', async ({
  page,
}) => {
  const { uuid, receiverId, url } = await demoEndpoint()
  await inDatabase(`UPDATE receiver SET updated_at = now() - interval '1 hour' WHERE id = $1`, [receiverId])
  const before = await countWrongSecrets(receiverId)
  for (let n = 0; n < 5; n++) expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
  await sendEvent()
  const stranger = page.getByRole('note').filter({ hasText: `Somebody else calls the address of “${demo}”` })
  await openOnceItSays(page, '/overview', `${before + 5} calls were refused`)
  await openAlerts(page)
  await expect(stranger).toContainText(`${before + 5} calls were refused`)
  await expect(stranger).toContainText('nothing is missing')
  await expectWhole(page, 'stranger')
  const lastRound = await lastWatchRound(receiverId)
  await inDatabase('NOTIFY endpoint_changed')
  await expect.poll(() => lastWatchRound(receiverId)).toBeGreaterThan(lastRound)
  const gaps = await inDatabase(`SELECT FROM gap WHERE kind = 'refused' AND about = $1`, [receiverId])
  expect(gaps).toHaveLength(0)
  await page.goto(`/endpoints/${uuid}`)
  await openAlerts(page)
  await expect(stranger).toBeVisible()
  await expect(page.getByRole('main').getByText('Deliveries may be missing')).toHaveCount(0)
  await expect(page.getByText(/rotate the secret/)).toHaveCount(0)
})

test('deferred deliveries are a gap that says why, and until when they are retried', async ({ page }) => {
  const { receiverId } = await demoEndpoint()
  const forget = async () => {
    await inDatabase(`DELETE FROM gap WHERE kind = 'deferred' AND about = $1`, [receiverId])
    await inDatabase(`DELETE FROM refusal WHERE receiver_id = $1 AND why = 'secret-not-checkable'`, [
      receiverId,
    ])
  }
  // A first try may have left them.
  await forget()
  await inDatabase(
    `INSERT INTO refusal (receiver_id, minute, why, count, first_at, last_at)
     SELECT $1, date_trunc('minute', at), 'secret-not-checkable', 10, at, at + interval '20 s'
     FROM generate_series(now() - interval '10 minutes', now() - interval '5 minutes', interval '1 minute') AS at`,
    [receiverId],
  )
  await inDatabase(
    `INSERT INTO gap (id, kind, about, began_at, ended_at)
     SELECT gen_random_uuid(), 'deferred', receiver_id::text, min(first_at), max(last_at) FROM refusal
     WHERE receiver_id = $1 AND why = 'secret-not-checkable' GROUP BY receiver_id`,
    [receiverId],
  )
  await page.goto('/gaps?kind=deferred')
  await page
    .getByRole('link', { name: `Deliveries to “${demo}” were deferred` })
    .first()
    .click()
  await page.waitForURL(/\/gaps\/[0-9a-f-]{36}$/)
  await expect(page.getByText(/could not be checked with the keys of this server/)).toBeVisible()
  await expect(page.getByText(/Nothing is lost: failed deliveries are retried/)).toBeVisible()
  await expectWhole(page, 'deferred')
  await forget()
})
