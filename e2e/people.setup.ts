import { stateOf } from './people.ts'
import { signInByCode, test } from './test.ts'

for (const email of ['support@demo.test', 'admin@demo.test', 'ana@demo.test', 'cleo@demo.test'])
  test(`${email} signs in`, async ({ page }) => {
    await signInByCode(page, email)
    await page.context().storageState({ path: stateOf(email) })
  })
