import 'server-only'
import type pg from 'pg'
import { readDatabaseAddress } from '../env/database-address.ts'
import { isUnknownAuthority, messageOfError } from '../log/error-fields.ts'
import { OperatorError } from '../operator-error.ts'
import { closeConnection, connect, noPlaceOfPooler } from './connect.ts'

/** `requireReachable` throws one line that names the setting when its database does not answer. The password is left out. */
export async function requireReachable(variable: string, connectionString: string): Promise<void> {
  await withDatabase(variable, connectionString, async () => undefined)
}

/**
 * `withDatabase` asks the database. It throws the same line, also when the database later refuses something that every start
 * needs.
 */
export async function withDatabase<Answer>(
  variable: string,
  connectionString: string,
  ask: (client: pg.Client) => Promise<Answer>,
): Promise<Answer> {
  let client: pg.Client | undefined
  try {
    client = await connect(connectionString, 'rampart start')
    return await ask(client)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const [what, advice] = describe(variable, error)
    throw new DatabaseUnreachable(
      `${variable}: the database at ${describeAddress(connectionString)} ${what}. ${advice}`,
    )
  } finally {
    if (client) await closeConnection(client)
  }
}

export class DatabaseUnreachable extends OperatorError {}

function describeAddress(connectionString: string): string {
  const { host, pathname, searchParams } = readDatabaseAddress(connectionString) ?? new URL(connectionString)
  return `${searchParams.get('host') || host}${pathname}`
}

function describe(variable: string, error: unknown): [what: string, advice: string] {
  if (isUnknownAuthority(error))
    return [
      'has a certificate of an authority that is not known here',
      `Name the file with that of the authority: ${variable}=…?sslmode=verify-full&sslrootcert=/etc/ssl/db-ca.pem, or NODE_EXTRA_CA_CERTS=/etc/ssl/db-ca.pem. Where it cannot be checked: sslmode=no-verify.`,
    ]
  const message = messageOfError(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const cause = causes.find(({ of }) => of.test(`${code} ${message}`))
  if (cause) return [`${cause.what} (${message})`, cause.advice(variable)]
  return [`does not answer (${message})`, `Start it, or correct ${variable}.`]
}

/** A cause is found by the error's code and message, because poolers use one code for everything. */
const causes: readonly {
  readonly of: RegExp
  readonly what: string
  readonly advice: (variable: string) => string
}[] = [
  {
    of: /^ERR_TLS_CERT_ALTNAME_INVALID /,
    what: 'has a certificate for another name',
    advice: (variable) => `Name it in ${variable} as its certificate does, or write sslmode=no-verify.`,
  },
  {
    of: /^CERT_HAS_EXPIRED /,
    what: 'has a certificate that is no longer valid',
    advice: () => 'Renew it there, and look at the clocks of both machines.',
  },
  {
    of: /^E\w+ E\w+: .*, (open|read)\b/,
    what: 'was not asked, because a file that its address names cannot be read',
    advice: (variable) =>
      `Correct sslrootcert in ${variable}, or let the user that runs Rampart read the file.`,
  },
  {
    of: /does not support SSL connections/,
    what: 'takes no TLS',
    advice: (variable) => `Switch it on there, or leave sslmode out of ${variable} where it is this machine.`,
  },
  {
    of: /password must be a (non-empty )?string/,
    what: 'asks for a password',
    advice: (variable) => `Write it into ${variable}: postgresql://USER:PASSWORD@…`,
  },
  {
    of: /^28P01 |password authentication failed/,
    what: 'refuses the role or its password',
    advice: (variable) => `Correct ${variable}, with signs such as # / ? % as %23 %2F %3F %25.`,
  },
  {
    of: /^28000 /,
    what: 'does not let this role in from here',
    advice: (variable) => `Allow it there, as in pg_hba.conf, or correct ${variable}.`,
  },
  {
    of: /^3D000 |no such database/,
    what: 'is not there',
    advice: (variable) => `Make it on that server by CREATE DATABASE, or correct ${variable}.`,
  },
  {
    of: new RegExp(`^53300 |${noPlaceOfPooler.source}`, 'i'),
    what: 'has no connection left',
    advice: () => 'Raise max_connections there, or end what uses them.',
  },
  { of: /^57P03 /, what: 'is just starting or stopping', advice: () => 'Start Rampart again in a minute.' },
  {
    of: /unsupported startup parameter/,
    what: 'is behind a pooler that takes no such parameter',
    advice: (variable) => `Take options=… out of ${variable}, and set that by ALTER ROLE … SET.`,
  },
  {
    of: /statement pooling mode|[Tt]ransaction blocks not allowed/,
    what: 'is behind a pooler in statement mode, which allows no transactions',
    advice: () => 'Set pool_mode = transaction there.',
  },
  {
    of: /^(ENOTFOUND|EAI_AGAIN) /,
    what: 'has a host name that nobody knows here',
    advice: (variable) => `Correct the host in ${variable}.`,
  },
]
