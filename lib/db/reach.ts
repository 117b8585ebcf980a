import 'server-only'
import { connect, letGo } from './connect.ts'

/** Throws one line that names the setting when its database does not answer; the password stays out of it. */
export async function reach(variable: string, connectionString: string): Promise<void> {
  try {
    const client = await connect(connectionString, 'rampart start')
    await letGo(client)
  } catch (error) {
    throw new DatabaseUnreachable(
      `${variable}: the database at ${place(connectionString)} does not answer (${reason(error)}). Start it, or correct ${variable}.`,
    )
  }
}

export class DatabaseUnreachable extends Error {}

function place(connectionString: string): string {
  const { host, pathname } = new URL(connectionString)
  return `${host}${pathname}`
}

/** Node joins the refusals of several addresses into an error without words of its own. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return reason(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
