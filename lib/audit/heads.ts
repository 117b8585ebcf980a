import 'server-only'
import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { z } from 'zod'
import type { Listener } from '#lib/platform/db/listen.ts'
import { readPlaceKey } from '#lib/platform/db/which-database.ts'
import { env, type Key } from '#lib/platform/env.ts'
import { requireWritingKey } from '#lib/platform/keys/agree-on-keys.ts'
import { isSigned, type Signature, sign } from '#lib/platform/keys/digests-and-seals.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import type { ChainHead } from './chain.ts'

/** A signed head is what the log contains and what is posted. */
interface SignedHead extends Signature {
  readonly position: string
  /** The digest is in hex. */
  readonly digest: string
  /** ISO 8601. */
  readonly at: string
}

/** Lines of the log with a head carry this message, which finds them again. */
export const headMessage = 'The end of the audit chain'

export function signHead(keys: readonly [Key, ...Key[]], head: ChainHead): SignedHead {
  const plain = { position: String(head.position), digest: head.digest.toString('hex'), at: head.at }
  return { ...plain, ...sign(keys, purpose, textOf(plain)) }
}

/** The heads were found in lines of a log; the counts say how many are doubtful. */
export interface FoundHeads {
  readonly heads: readonly ChainHead[]
  /** Forged heads have a signature that no known key made: they were added or changed. */
  readonly forged: number
  /** Unchecked heads were signed with a key that is not given here; they are in the list all the same. */
  readonly unchecked: number
}

/** The heads are found in lines of JSON, from a log or from a webhook's receiver. Other lines are skipped. */
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

/** These are the lines of the server's log in a data directory, with the rotated part. */
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

/** A line of the log holds the head in the field `head`; a line of a webhook's own log may be the head itself. */
function readLine(line: string): z.output<typeof LineSchema> | null {
  if (!line.includes('"signature"')) return null
  const start = line.indexOf('{')
  try {
    const json: unknown = JSON.parse(line.slice(start))
    const head = HeadSchema.safeParse(json).data
    return LineSchema.safeParse(json).data ?? (head ? { head } : null)
  } catch {
    // The line was cut off, as the last line of a log may be.
    return null
  }
}

const LineSchema = z.object({ head: HeadSchema, database: z.string().optional() })

const log = logOf('audit')
const limited = limitedLog(log, 600_000)

/** The trigger that links an entry notifies this channel when the entry is committed. */
const linkedChannel = 'audit_linked'

/**
 * `soon`: ms from an entry to its head, which also covers what follows meanwhile. `every`: ms between two
 * checks without a notification. `again`: ms after which an unchanged head is given again.
 */
const usualTimes = { soon: 1_000, every: 10_000, again: 3_600_000 }

/**
 * The signed end of the chain goes where the application cannot change it: into the log, and to `AUDIT_HEAD_URL` when set.
 * It goes out at the start, a second after each change, and once an hour. A chain that is cut later is found by it.
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

  async function check() {
    try {
      const head = await readHead(pool)
      if (!head) return
      const { auditHeadUrl } = env()
      // A signature under a wrong key would seem forged once the right one is back.
      const keys = [requireWritingKey()] as const
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

  const checkAgain = () => {
    underWay = underWay.then(check)
  }
  let soon: NodeJS.Timeout | undefined
  const checkSoon = () => {
    soon ??= setTimeout(() => {
      soon = undefined
      checkAgain()
    }, times.soon)
  }
  await check()
  const unsubscribe = source.subscribe(linkedChannel, checkSoon)
  const forget = source.onListening(checkSoon)
  const timer = setInterval(checkAgain, times.every)
  return {
    async stop() {
      unsubscribe()
      forget()
      clearTimeout(soon)
      clearInterval(timer)
      await underWay
      await check()
    },
  }
}

/** The head is the last link, or the last whose entry is not newer than `until`; null when there is none. */
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

/** The line says what is wrong with `AUDIT_HEAD_URL`; null when it answers, and when it is not set. */
export async function headUrlFault(): Promise<string | null> {
  const { auditHeadUrl } = env()
  if (!auditHeadUrl) return null
  try {
    // The check posts nothing. If the receiver refuses posts, the log will say so.
    await fetch(auditHeadUrl, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(5_000) })
    return null
  } catch (error) {
    return `AUDIT_HEAD_URL: nobody answers at ${auditHeadUrl.host} (${messageOfError(error)}). Until somebody does, the ends of the audit chain stand in the log alone.`
  }
}

/** This process gave this head last; null before the first. */
export const lastGivenHead = (): ChainHead | null => globalThis.rampartGivenHead ?? null

declare global {
  var rampartGivenHead: ChainHead | undefined
}
