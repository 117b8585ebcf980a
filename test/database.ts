import { createTestDatabase } from './postgres.ts'
import { configure, endPools } from './service.ts'

/** The test gets the dashboard's configuration and its own database, but no service. */
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
