import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { openPool } from './pool.ts'
import { bindDatabase } from './which-database.ts'

let database: TestDatabase
let pool: ReturnType<typeof openPool>
beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

test('a database stays bound to the service of its first start, and refuses any other', async () => {
  const [first, other] = ['https://api.example.com/onboarding', 'sandbox']
  await bindDatabase(pool, first)
  await expect(bindDatabase(pool, other)).rejects.toThrow(
    `belongs to ${first} and cannot be used with ${other}`,
  )
  await expect(bindDatabase(pool, 'https://api.example.net')).rejects.toThrow('npm run rampart move-service')
  await expect(bindDatabase(pool, first)).resolves.toBeUndefined()
  await expect(bindDatabase(pool, `${first}/`)).resolves.toBeUndefined()
})
