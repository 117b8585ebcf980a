import path from 'node:path'
import { readDatabaseSettings } from '#lib/platform/env.ts'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { readSecrets } from '../data-directory.ts'
import { findPostgres } from '../postgres.ts'
import { logins } from '../postgres-roles.ts'

/** No database was given, and none of ours is up. */
export class NotRunning extends OperatorError {}

/** The database that the commands work on, past any pooler. Throws `ConfigurationError` and `NotRunning`. */
export function databaseAddress(): string {
  const { databaseUrl, databaseDirectUrl } = readDatabaseSettings()
  return databaseDirectUrl ?? databaseUrl ?? embeddedAddress('application')
}

/** The same as the owner of its tables, who may drop one. Throws as `databaseAddress` does. */
export function ownerAddress(): string {
  const { databaseUrl, databaseDirectUrl, databaseMigrateUrl } = readDatabaseSettings()
  return databaseMigrateUrl ?? databaseDirectUrl ?? databaseUrl ?? embeddedAddress('owner')
}

function embeddedAddress(login: 'application' | 'owner'): string {
  const { dataDir } = readDatabaseSettings()
  const secrets = readSecrets(dataDir)
  const found = secrets && findPostgres(path.resolve(dataDir, 'postgres'), secrets.postgresPassword)
  if (!found)
    throw new NotRunning(
      `No Rampart is running in ${dataDir}. Start it first (npm start), or say where its database is: DATABASE_URL=postgresql://…`,
    )
  return found('rampart', logins(secrets)[login])
}
