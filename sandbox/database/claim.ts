import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'

/**
 * Makes this process the only sandbox on its database, until `release`. A predecessor that was just killed is waited
 * for. Answers undefined when another one keeps running.
 */
export async function claimDatabase(url: string): Promise<{ release(): Promise<void> } | undefined> {
  const client = new Client({ connectionString: url, application_name: 'sandbox', keepAlive: true })
  client.on('error', () => {})
  await client.connect()
  for (let tries = 0; tries < 25; tries++) {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [
      claimLock,
    ])
    if (rows[0]?.mine) return { release: () => client.end() }
    await setTimeout(200)
  }
  await client.end()
  return undefined
}

const claimLock = 4_010_002
