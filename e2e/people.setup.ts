import { signInByRequests, stateOf } from './people.ts'
import { test } from './test.ts'

for (const email of ['support@demo.test', 'admin@demo.test', 'ana@demo.test', 'cleo@demo.test'])
  test(`${email} signs in`, async ({ request }) => {
    await signInByRequests(request, email)
    await request.storageState({ path: stateOf(email) })
  })
