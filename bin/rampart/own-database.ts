import path from 'node:path'
import { readDatabaseSettings } from '#lib/platform/env.ts'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { findCluster } from '../cluster.ts'
import { openDataDirectory, readSecrets, type Secrets } from '../data-directory.ts'
import { findPostgres, type Login, startPostgres } from '../postgres.ts'

/** The embedded database, whether Rampart runs or not. */
export interface OwnDatabase {
  readonly dataDir: string
  readonly secrets: Secrets
  /** The cluster's folder. */
  readonly place: string
  /** The address of a database, for the cluster's superuser or another role. */
  url(database: string, login?: Login): string
}

/**
 * Works on the embedded database: of the Rampart that runs, else it is started for this alone. Throws an `OperatorError` where
 * there is none.
 */
export async function withOwnDatabase<T>(work: (own: OwnDatabase) => Promise<T>): Promise<T> {
  const { dataDir } = readDatabaseSettings()
  const secrets = readSecrets(dataDir)
  const wanted = path.resolve(dataDir, 'postgres')
  const { place, exists } = findCluster(wanted)
  if (!secrets || !exists)
    throw new OperatorError(
      `There is no embedded database in ${dataDir}. Set RAMPART_DATA_DIR to where it is.`,
    )
  const url = findPostgres(wanted, secrets.postgresPassword)
  if (url) return work({ dataDir, secrets, place, url })
  const directory = openDataDirectory(dataDir, { withPostgres: true, warn: console.error })
  try {
    const logFile = path.join(directory.logs, 'postgres.log')
    const postgres = await startPostgres({ dataDir: wanted, password: secrets.postgresPassword, logFile })
    try {
      return await work({ dataDir, secrets, place, url: postgres.url })
    } finally {
      await postgres.stop()
    }
  } finally {
    directory.close()
  }
}
