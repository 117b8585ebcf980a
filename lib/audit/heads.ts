import 'server-only'
import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { z } from 'zod'
import type { Listener } from '#lib/platform/db/listen.ts'
import { readPlaceKey } from '#lib/platform/db/which-database.ts'
import { env, type Key } from '#lib/platform/env.ts'
import { isSigned, type Signature, sign } from '#lib/platform/keys/hmac.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import type { ChainHead } from './chain.ts'

/** A head as it stands in the log and is posted: readable, and signed. */
interface SignedHead extends Signature {
  readonly position: string
  /** In hex. */
  readonly digest: string
  /** ISO 8601. */
  readonly at: string
}

/** The message of the log's line, by which it is found again. */
export const headMessage = 'The end of the audit chain'

export function signHead(keys: readonly [Key, ...Key[]], head: ChainHead): SignedHead {
  const plain = { position: String(head.position), digest: head.digest.toString('hex'), at: head.at }
  return { ...plain, ...sign(keys, purpose, textOf(plain)) }
}

/** Heads found in lines, and how many could not be believed. */
export interface FoundHeads {
  readonly heads: readonly ChainHead[]
  /** Signed by nobody who had one of the keys: put in, or changed. */
  readonly forged: number
  /** Signed under a key that is not given here; they are among the heads all the same. */
  readonly unchecked: number
}

/** Finds heads in lines of JSON: of a log, or of what a webhook was sent. Other lines are passed over. */
export function readHeads(keys: readonly Key[], lines: Iterable<string>): FoundHeads {
  const heads: ChainHead[] = []
  let [forged, unchecked] = [0, 0]
  for (const line of lines) {
    const read = readLine(line)
    if (!read) continue
    const { position, digest, at } = read.head
    const genuine = isSigned(keys, purpose, textOf(read.head), read.head)
    if (genuine === false) {
      forged += 1
      continue
    }
    if (genuine === null) unchecked += 1
    const { database } = read
    const head = { position: BigInt(position), digest: Buffer.from(digest, 'hex'), at }
    heads.push(database === undefined ? head : { ...head, database })
  }
  return { heads, forged, unchecked }
}

/** The server's log in a data directory, and the part of it that was rotated out. */
export function readOwnLog(dataDir: string): string[] {
  return ['server.log.1', 'server.log']
    .map((name) => path.join(dataDir, 'logs', name))
    .filter((file) => fs.existsSync(file))
    .flatMap((file) => fs.readFileSync(file, 'utf8').split('\n'))
}

const purpose = 'audit head'

const textOf = ({ position, digest, at }: Omit<SignedHead, keyof Signature>) => `${position} ${digest} ${at}`

const HeadSchema = z.object({
  position: z.string().regex(/^\d{1,18}$/),
  digest: z.string().regex(/^([0-9a-f]{64})?$/),
  at: z.string().max(40),
  keyId: z.string().max(100),
  signature: z.string().max(100),
})

/** A line of the log has the head in the field `head`, a line of a webhook's own log may have it plainly. */
function readLine(line: string): z.output<typeof LineSchema> | null {
  if (!line.includes('"signature"')) return null
  const start = line.indexOf('{')
  try {
    const json: unknown = JSON.parse(line.slice(start))
    const head = HeadSchema.safeParse(json).data
    return LineSchema.safeParse(json).data ?? (head ? { head } : null)
  } catch {
    // A line that was cut off, such as the last one of a log.
    return null
  }
}

const LineSchema = z.object({ head: HeadSchema, database: z.string().optional() })

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
