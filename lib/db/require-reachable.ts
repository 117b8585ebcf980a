import 'server-only'
import type pg from 'pg'
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
  const { message, code } = firstOf(error)
  if (code !== undefined && unknownAuthority.has(code))
    return [
      'has a certificate of an authority that is not known here',
      `Name the file with that authority's certificate: ${variable}=…?sslmode=verify-full&sslrootcert=/etc/ssl/db-ca.pem, or NODE_EXTRA_CA_CERTS=/etc/ssl/db-ca.pem.`,
    ]
  return [`does not answer (${message})`, `Start it, or correct ${variable}.`]
}

/** Node's own words for these recommend an option that the Node which runs this may not take. */
const unknownAuthority = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

/** When several addresses refuse, Node joins their errors into one without a message. */
function firstOf(error: unknown): { readonly message: string; readonly code: string | undefined } {
  if (error instanceof AggregateError) return firstOf(error.errors[0])
  if (!(error instanceof Error)) return { message: String(error), code: undefined }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return { message: error.message, code }
}
