import { moveService, type ServiceMove } from '#lib/endpoints/service-key/change-api-key.ts'
import { readStoredApiKey } from '#lib/endpoints/service-key/stored-api-key.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { env, webSchema } from '#lib/platform/env.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { NotRunning } from './database-address.ts'
import { takeServerSettings } from './server-settings.ts'

/** The command moves the installation to another base URL of the same service. */
export async function moveServiceCommand([address = '', ...words]: readonly string[]): Promise<number> {
  const reason = words.join(' ').trim()
  const { data: given, error } = webSchema.safeParse(address)
  if (given === undefined || reason.length < 3) {
    const wrong = address === '' || !error ? '' : `${address} ${error.issues[0]?.message}. `
    console.error(`${wrong}Say where to, and why: npm run rampart move-service NEW_BASE_URL REASON…`)
    return 2
  }
  const to = new URL(given)
  const { isStopped, dataDir } = takeServerSettings()
  if (isStopped) throw new NotRunning(`No Rampart is running in ${dataDir}. Start it first: npm run serve`)
  const pool = openPool(env().databaseUrl, 2)
  try {
    const apiKey = (await readStoredApiKey(pool, env().serviceApiKey)) ?? env().serviceApiKey
    const move = await moveService(pool, { to, apiKey, reason })
    if (move.kind === 'refused') {
      console.error(`${refusals[move.why](to.href, move.from ?? '')} Nothing was changed.`)
      return 1
    }
    console.log(
      `Moved from ${move.from} to ${to.href}. ${proofs[move.by]}\nNow set SERVICE_BASE_URL=${to.href} and restart one server after another.\nTo undo: npm run rampart move-service ${move.from} REASON…`,
    )
    return 0
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    console.error(
      `The service at ${to.href} does not answer as it should (${error.message}). Nothing was changed.`,
    )
    return 1
  } finally {
    await pool.end()
  }
}

const refusals = {
  'not-bound': () => 'This database belongs to no service yet: set SERVICE_BASE_URL, and start.',
  sandbox: () => 'This database belongs to Rampart’s own sandbox, whose data no other service knows.',
  same: (to) => `This database belongs to ${to} already.`,
  'key-refused': (to) => `The service at ${to} refuses the API key of this installation.`,
  'not-a-service': (to) => `${to} does not answer as the service does. Write the base URL with its path.`,
  'another-account': (to, from) =>
    `The service at ${to} knows no endpoint and no person of this installation, which belongs to ${from}: it is another environment or another account.`,
} satisfies Record<Extract<ServiceMove, { kind: 'refused' }>['why'], (to: string, from: string) => string>

const proofs = {
  endpoint: 'It knows an endpoint of this installation.',
  person: 'It knows a person of this installation.',
  nothing: 'It takes the API key. This installation knows no endpoint and no person that could be asked for.',
} as const
