import 'server-only'
import { OperatorError } from '#lib/operator-error.ts'
import { closeConnection, connect } from './connect.ts'

/** Throws one line that names the setting when its database does not answer. The password is left out. */
export async function requireReachable(variable: string, connectionString: string): Promise<void> {
  try {
    const client = await connect(connectionString, 'rampart start')
    await closeConnection(client)
  } catch (error) {
    throw new DatabaseUnreachable(
      `${variable}: the database at ${describeAddress(connectionString)} does not answer (${describeError(error)}). Start it, or correct ${variable}.`,
    )
  }
}

export class DatabaseUnreachable extends OperatorError {}

function describeAddress(connectionString: string): string {
  const { host, pathname } = new URL(connectionString)
  return `${host}${pathname}`
}

/** When several addresses refuse, Node joins their errors into one without a message. */
function describeError(error: unknown): string {
  if (error instanceof AggregateError) return describeError(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
