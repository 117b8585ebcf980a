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

/** Later statements use new connections, with the settings that the database has by then. */
export async function reconnect() {
  await endPools()
  globalThis.rampartPool = undefined
  globalThis.rampartPrisma = undefined
  globalThis.rampartPoolByIndex = undefined
}

export type TestConfiguration = Awaited<ReturnType<typeof startDatabase>>
