import { randomBytes } from 'node:crypto'
import { runMigrations } from 'graphile-worker'
import { Client } from 'pg'
import { openPool, queueSchemaOf } from './database/pool.ts'
import { notFound, Refusal } from './service/refusal.ts'

/**
 * A namespace is a sandbox inside this one with its own API key, tables, queue, clock, faults and load. Tests that run side
 * by side use namespaces, which end with the process. Decision 0138.
 */
export interface Namespaces {
  /** The answer is the namespace's key: the given one, or a new one. A key that is taken is refused. */
  create(given: NewNamespace): Promise<string>
  /** The keys are sorted, oldest first. */
  list(): string[]
  remove(apiKey: string): Promise<void>
  find(apiKey: string): OpenNamespace | undefined
  stop(): Promise<void>
}

export interface NewNamespace {
  readonly apiKey?: string | undefined
  readonly seed?: number | undefined
}

export interface OpenNamespace {
  fetch(request: Request, bindings?: unknown): Response | Promise<Response>
  stop(): Promise<void>
}

/** `open` starts a namespace on an empty schema. `ownKey` is the key of the sandbox itself. */
export function createNamespaces(
  databaseUrl: string,
  ownKey: string,
  open: (apiKey: string, schema: string, seed: number | undefined) => Promise<OpenNamespace>,
): Namespaces {
  const opened = new Map<
    string,
    { schema: string; starting: Promise<OpenNamespace>; namespace?: OpenNamespace }
  >()
  let count = 0

  async function start(apiKey: string, schema: string, seed: number | undefined) {
    await changeSchemas(databaseUrl, `CREATE SCHEMA ${schema}`)
    await createQueue(databaseUrl, schema)
    return open(apiKey, schema, seed)
  }

  return {
    async create({ apiKey = `sandbox-${randomBytes(18).toString('base64url')}`, seed }) {
      if (apiKey === ownKey || opened.has(apiKey))
        throw new Refusal(409, 'NamespaceExistsError', 'This API key has a namespace already')
      const schema = `namespace_${process.pid}_${++count}`
      const entry = { schema, starting: start(apiKey, schema, seed) }
      opened.set(apiKey, entry)
      try {
        opened.set(apiKey, { ...entry, namespace: await entry.starting })
      } catch (error) {
        opened.delete(apiKey)
        throw error
      }
      return apiKey
    },
    list: () => [...opened].flatMap(([apiKey, { namespace }]) => (namespace ? [apiKey] : [])),
    async remove(apiKey) {
      const { namespace, schema } = opened.get(apiKey) ?? {}
      if (!namespace) throw notFound('No namespace has this API key')
      opened.delete(apiKey)
      await namespace.stop()
      await changeSchemas(databaseUrl, dropOf(`${schema}`))
    },
    find: (apiKey) => opened.get(apiKey)?.namespace,
    async stop() {
      const all = [...opened.values()]
      opened.clear()
      await Promise.all(all.map(async ({ starting }) => (await starting.catch(failedToStart))?.stop()))
    },
  }
}

/**
 * The queue's tables are created in silence. graphile-worker notifies the whole database of each migration, and every other
 * queue in it would stop. The schema's own pg_notify is found first here, and does nothing.
 */
async function createQueue(databaseUrl: string, schema: string) {
  const pool = openPool(databaseUrl, { searchPath: `${schema}, pg_catalog`, max: 2 })
  try {
    await pool.query(`CREATE FUNCTION ${schema}.pg_notify(text, text) RETURNS void LANGUAGE sql AS 'SELECT'`)
    await runMigrations({ pgPool: pool, schema: queueSchemaOf(schema) })
    await pool.query(`DROP FUNCTION ${schema}.pg_notify(text, text)`)
  } finally {
    await pool.end()
  }
}

/** The caller that asked for the namespace got the error. */
const failedToStart = () => undefined

/** An earlier process may have left namespaces. */
export async function dropNamespaces(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'sandbox' })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^namespace_[0-9]+_[0-9]+$'`,
    )
    for (const { name } of rows) await client.query(dropOf(name))
  } finally {
    await client.end()
  }
}

const dropOf = (schema: string) => `DROP SCHEMA IF EXISTS ${queueSchemaOf(schema)}, ${schema} CASCADE`

async function changeSchemas(databaseUrl: string, statement: string) {
  const client = new Client({ connectionString: databaseUrl, application_name: 'sandbox' })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
