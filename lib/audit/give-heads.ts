import 'server-only'
import type pg from 'pg'
import type { Listener } from '#lib/platform/db/listen.ts'
import { readPlaceKey } from '#lib/platform/db/read-database-place.ts'
import { env } from '#lib/platform/env.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import type { ChainHead } from './chain.ts'
import { headMessage, type SignedHead, signHead } from './heads.ts'

const log = logOf('audit')
const limited = limitedLog(log, 600_000)

/** Notified by the trigger that links an entry, with its commit. */
const linkedChannel = 'audit_linked'

/**
 * Milliseconds from an entry to the head that is given for it and for what follows it meanwhile; between two looks without
 * news, such as after one that failed; and after which a head that stays the same is given once more.
 */
const usualTimes = { soon: 1_000, every: 10_000, again: 3_600_000 }

/**
 * Gives the chain's end, signed, to where the application cannot change it: into the log, and to `AUDIT_HEAD_URL` where it
 * is set. At once, then a second after it has moved, and once an hour. What is cut off afterwards is found by it.
 */
export async function startGivingHeads(
  pool: pg.Pool,
  source: Listener,
  times = usualTimes,
): Promise<{ stop(): Promise<void> }> {
  let logged: { readonly position: bigint; readonly at: number } | undefined
  let posted: bigint | undefined
  let place: string | undefined
  let underWay: Promise<void> = Promise.resolve()

  async function look() {
    try {
      const head = await readHead(pool)
      if (!head) return
      const { keys, auditHeadUrl } = env()
      if (logged?.position !== head.position || Date.now() - logged.at >= times.again) {
        place ??= (await readPlaceKey(pool)) ?? undefined
        log.info({ head: signHead(keys, head), database: place }, headMessage)
        logged = { position: head.position, at: Date.now() }
        globalThis.rampartGivenHead = head
      }
      if (!auditHeadUrl || posted === head.position) return
      await post(auditHeadUrl, signHead(keys, head))
      posted = head.position
    } catch (error) {
      limited.warn(causeOf(error), { err: error }, 'The end of the audit chain was not given away')
    }
  }

  const lookAgain = () => {
    underWay = underWay.then(look)
  }
  let soon: NodeJS.Timeout | undefined
  const lookSoon = () => {
    soon ??= setTimeout(() => {
      soon = undefined
      lookAgain()
    }, times.soon)
  }
  await look()
  const unsubscribe = source.subscribe(linkedChannel, lookSoon)
  const forget = source.onListening(lookSoon)
  const timer = setInterval(lookAgain, times.every)
  return {
    async stop() {
      unsubscribe()
      forget()
      clearTimeout(soon)
      clearInterval(timer)
      await underWay
      await look()
    },
  }
}

/** The last link, or the last whose entry is as old as `until`; null when there is none. */
export async function readHead(database: Pick<pg.Pool, 'query'>, until?: Date): Promise<ChainHead | null> {
  const { rows } = await database.query<{ position: bigint; digest: Buffer }>(HEAD, [until])
  return rows[0] ? { ...rows[0], at: new Date().toISOString() } : null
}

const HEAD = `
  SELECT position, digest FROM audit_link
  WHERE $1::timestamptz IS NULL OR (SELECT at FROM audit WHERE id = entry_id) <= $1
  ORDER BY position DESC LIMIT 1`

async function post(url: URL, head: SignedHead) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(head),
    redirect: 'error',
    signal: AbortSignal.timeout(5_000),
  })
  if (!answer.ok) throw new Error(`AUDIT_HEAD_URL answered ${answer.status}`)
}

/** A line on what is wrong with `AUDIT_HEAD_URL`; null when somebody answers there, and where it is not set. */
export async function headUrlFault(): Promise<string | null> {
  const { auditHeadUrl } = env()
  if (!auditHeadUrl) return null
  try {
    // Nothing is posted that nobody asked for: whoever answers takes posts, or the log will say.
    await fetch(auditHeadUrl, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(5_000) })
    return null
  } catch (error) {
    return `AUDIT_HEAD_URL: nobody answers at ${auditHeadUrl.host} (${messageOfError(error)}). Until somebody does, the ends of the audit chain stand in the log alone.`
  }
}

/** The last head that this process gave away; null before the first. */
export const lastGivenHead = (): ChainHead | null => globalThis.rampartGivenHead ?? null

declare global {
  var rampartGivenHead: ChainHead | undefined
}
