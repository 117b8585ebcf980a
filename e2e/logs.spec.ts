import { rampartUrl } from './addresses.ts'
import { inDatabase } from './database.ts'
import { findPersonalDataInLogs, findSecretsInLogs } from './find-in-logs.ts'
import { stateOf } from './people.ts'
import { createUserAtService, madeUpAddress, playScenarioOf, userUuidOf } from './sandbox.ts'
import { expect, signInByCode, test } from './test.ts'

// The file runs after all others, so the logs hold what every test caused. They come from the server with its pages, the
// projector, the demo, the build, PostgreSQL and the sandbox.

test.describe.configure({ mode: 'serial' })

test('somebody of whom everything is known signs in, is looked at and looked for', async ({
  page,
  browser,
}) => {
  const email = `lea.${crypto.randomUUID().slice(0, 8)}@demo.test`
  const customerNumber = `CN-LOGGED-${crypto.randomUUID().slice(0, 8).toUpperCase()}`
  await createUserAtService(email, madeUpAddress(), {
    date_of_birth: '1987-06-05',
    phone: '+34 600 123 987',
  })
  const uuid = await userUuidOf(email)
  await inDatabase(
    `INSERT INTO person (user_uuid, email, email_key, source, customer_number, customer_number_key)
     VALUES ($1, $2, $2, 'test', $3, lower($3))`,
    [uuid, email, customerNumber],
  )
  for (const scenario of ['fiat-to-crypto', 'crypto-to-fiat']) await playScenarioOf(scenario, uuid)
  await signInByCode(page, email)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My account')
  const { request } = await browser.newContext({ storageState: stateOf('support@demo.test') })
  const profile = await request.get(`/users/${uuid}`)
  expect(await profile.text()).toContain(customerNumber)
  for (const text of [email, customerNumber]) {
    const answer = await request.post('/api/search', { data: { text }, headers: { origin: rampartUrl } })
    expect(await answer.text()).toContain(uuid)
  }
})

test('no log holds a code, a session or another secret', async () => {
  expect(await findSecretsInLogs()).toEqual([])
})

test('no log says who somebody is, or names their accounts, wallets or birth dates', async () => {
  expect(await findPersonalDataInLogs()).toEqual([])
})
