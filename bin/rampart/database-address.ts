import path from 'node:path'
import { readDatabaseSettings } from '#lib/platform/env.ts'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { readSecrets } from '../data-directory.ts'
import { findPostgres } from '../postgres.ts'
import { logins } from '../postgres-roles.ts'

/** The error means that no database was given, and that the embedded one does not run. */
export class NotRunning extends OperatorError {}

/** Commands work on this database directly, without a pooler. The function throws `ConfigurationError` and `NotRunning`. */
export function databaseAddress(): string {
  const { databaseUrl, databaseDirectUrl } = readDatabaseSettings()
  return databaseDirectUrl ?? databaseUrl ?? embeddedAddress('application')
}

/** The owner of the tables, who may drop one, has this address. The function throws as `databaseAddress` does. */
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
