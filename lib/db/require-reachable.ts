import 'server-only'
import type pg from 'pg'
import { isUnknownAuthority, messageOfError } from '#lib/log/error-fields.ts'
import { OperatorError } from '#lib/operator-error.ts'
import { closeConnection, connect } from './connect.ts'

/** Throws one line that names the setting when its database does not answer. The password is left out. */
export async function requireReachable(variable: string, connectionString: string): Promise<void> {
  await closeConnection(await reach(variable, connectionString))
}

/** The same, with the connection, which the caller closes. */
export async function reach(variable: string, connectionString: string): Promise<pg.Client> {
  try {
    return await connect(connectionString, 'rampart start')
  } catch (error) {
    const [what, advice] = describe(variable, error)
    throw new DatabaseUnreachable(
      `${variable}: the database at ${describeAddress(connectionString)} ${what}. ${advice}`,
    )
  }
}

export class DatabaseUnreachable extends OperatorError {}

function describeAddress(connectionString: string): string {
  const { host, pathname } = new URL(connectionString)
  return `${host}${pathname}`
}

function describe(variable: string, error: unknown): [what: string, advice: string] {
  if (isUnknownAuthority(error))
    return [
      'has a certificate of an authority that is not known here',
      `Name the file with that of the authority: ${variable}=…?sslmode=verify-full&sslrootcert=/etc/ssl/db-ca.pem, or NODE_EXTRA_CA_CERTS=/etc/ssl/db-ca.pem.`,
    ]
  return [`does not answer (${messageOfError(error)})`, `Start it, or correct ${variable}.`]
}
