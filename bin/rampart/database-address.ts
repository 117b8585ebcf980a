import path from 'node:path'
import { connectionRange, env, readDatabaseSettings, readStartSettings } from '#lib/platform/env.ts'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { readSecrets } from '../data-directory.ts'
import { findPostgres } from '../postgres.ts'
import { logins } from '../postgres-roles.ts'
import { serverVariables } from '../server-variables.ts'

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

/** The settings are those of the servers that run, as far as a command can know them. */
export interface ServerSettings {
  readonly dataDir: string
  /** The embedded database is in use. */
  readonly isEmbedded: boolean
  /** The embedded database does not run. */
  readonly isStopped: boolean
  /** The servers of this machine open so many connections, or where nobody says how many, at least so many. */
  readonly connections: number
}

/** No database has this address. */
const nowhere = 'postgresql://nobody@127.0.0.1:1/none'

/**
 * Afterwards `env()` reads what `npm start` gives to the server. The function throws `ConfigurationError`, and `NotRunning`
 * where Rampart was never started.
 */
export function takeServerSettings(): ServerSettings {
  const settings = readStartSettings()
  const { dataDir } = settings
  const secrets = readSecrets(dataDir)
  const isEmbedded = settings.databaseUrl === undefined
  const isSandboxed = settings.serviceBaseUrl === undefined
  if (!secrets && (isEmbedded || isSandboxed))
    throw new NotRunning(
      `Rampart was never started in ${dataDir}. Set RAMPART_DATA_DIR to its data directory, and give this command the settings of the servers.`,
    )
  const found =
    secrets && isEmbedded ? findPostgres(path.resolve(dataDir, 'postgres'), secrets.postgresPassword) : null
  Object.assign(process.env, {
    ...serverVariables(settings, secrets),
    ...(secrets && isEmbedded
      ? {
          DATABASE_URL: found?.('rampart', logins(secrets).application) ?? nowhere,
          DATABASE_MIGRATE_URL: found?.('rampart', logins(secrets).owner) ?? nowhere,
        }
      : {}),
  })
  env()
  // A start without a number takes what a small server has, down to the fewest.
  const connections = settings.databaseConnections ?? connectionRange(settings.projectors).fewest
  return { dataDir, isEmbedded, isStopped: isEmbedded && found === null, connections }
}
