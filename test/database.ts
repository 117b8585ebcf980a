import { createTestDatabase } from './postgres.ts'
import { configure, endPools } from './service.ts'

/** The dashboard's configuration for a test that asks no service: a database of its own. */
export async function startDatabase(settings: Record<string, string> = {}) {
  const database = await createTestDatabase()
  configure({ DATABASE_URL: database.url, ...settings })
  return {
    url: database.url,
    async stop() {
      await endPools()
      await database.drop()
    },
  }
}

export type TestConfiguration = Awaited<ReturnType<typeof startDatabase>>
