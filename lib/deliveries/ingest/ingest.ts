import 'server-only'
import type pg from 'pg'
import { type Rounds, startRounds } from '#lib/platform/db/concurrency.ts'
import { newHolder } from '#lib/platform/db/lease.ts'
import { type Listener, listener } from '#lib/platform/db/listen.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { poolSizes } from '#lib/platform/db/pool-sizes.ts'
import { env, type Key } from '#lib/platform/env.ts'
import { findAddress } from '#lib/platform/http/find-address.ts'
import { answerHeaders } from '#lib/platform/http/security-headers.ts'
import { type KeyAgreement, setKeyAgreement } from '#lib/platform/keys/agree-on-keys.ts'
import { type SecretDigester, secretDigester } from '#lib/platform/keys/digests-and-seals.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { announceStored } from '../queue/enqueue.ts'
import { type MemoryBudget, openMemoryBudget } from './limits.ts'
import { type OwnKeyCheck, openOwnKeyCheck } from './own-key-check.ts'
import { openPresence, type PresenceTimes } from './process-presence.ts'
import { openReceiverCache, type ReceiverCache } from './receiver-cache.ts'
import { openRefusalCounter, type RefusalCounter } from './refusal-counter.ts'
import { openRefusedBodyLog, type RefusedBodyLog } from './refused-body-log.ts'
import { bodyTimeLimit, type FindAddress } from './request-and-answer.ts'
import { type LostAnswers, openLostAnswers, openRequestLog, type RequestLog } from './request-log.ts'
import { openStore, type Store, type StoreLimits, storeLimits } from './store.ts'

/** `receive` works with these parts. Each process has one set. */
export interface Ingest {
  readonly digester: SecretDigester
  readonly receivers: ReceiverCache
  readonly refusals: RefusalCounter
  readonly refusedBodies: RefusedBodyLog
  readonly requests: RequestLog
  readonly lostAnswers: LostAnswers
  readonly store: Store
  readonly memory: MemoryBudget
  /** The database must answer within this many milliseconds. */
  readonly answerLimit: number
  /** A sender may need this many milliseconds for its body. */
  readonly bodyMs: number
  readonly keys: OwnKeyCheck
  /** The pool is separate, so that pages cannot use up its connections. */
  readonly pool: pg.Pool
  readonly findAddress: FindAddress
  /** Every answer has these headers. */
  readonly everyAnswer: Readonly<Record<string, string>>
  /**
   * `begin` runs once before the first delivery: it acquires the presence lease and checks the keys. It returns the ids of
   * the usable keys, and throws when the database does not answer.
   */
  begin(): Promise<ReadonlySet<string>>
  /** `close` resolves when everything taken so far is answered and written. */
  close(): Promise<void>
}

/** The process has one ingest, which our own server and Next's bundle share. */
export function ingest(): Ingest {
  globalThis.rampartIngest ??= openOwn()
  return globalThis.rampartIngest
}

function openOwn(): Ingest {
  const { databaseUrl, keys } = env()
  return openIngest({
    url: databaseUrl,
    connections: poolSizes().ingest,
    listener: listener(),
    keys,
    findAddress,
    everyAnswer: answerHeaders(),
    onAgreed: setKeyAgreement,
  })
}

/**
 * `startBeginning` tries `begin` once, and then again every 3 s until it succeeds: a process whose keys are not checked is not
 * ready, so no delivery may come that asks. A process that takes no deliveries only checks its keys.
 */
export async function startBeginning({ begin, keys }: Ingest, takesDeliveries: boolean): Promise<Rounds> {
  let begun = false
  const tryAgain = async () => {
    if (begun) return
    const work = (takesDeliveries ? begin() : keys.check()).then(() => true)
    begun = (await work.catch(notBegun)) ?? false
  }
  await tryAgain()
  return startRounds(tryAgain, 3_000)
}

const notBegun = noting(logOf('ingest'))('warn', 'The keys are not checked yet, and are checked again')

/** `closeIngest` is part of an orderly stop. It runs before the listener is closed. */
export async function closeIngest(): Promise<void> {
  await globalThis.rampartIngest?.close()
  globalThis.rampartIngest = undefined
}

export function openIngest(parts: {
  readonly url: string
  readonly connections?: number
  readonly listener: Listener
  readonly keys: readonly [Key, ...Key[]]
  readonly limits?: StoreLimits
  readonly bodyMs?: number
  readonly presence?: PresenceTimes
  readonly findAddress?: FindAddress
  readonly everyAnswer?: Readonly<Record<string, string>>
  readonly onAgreed?: (agreement: KeyAgreement) => void
}): Ingest {
  const limits = parts.limits ?? storeLimits
  // The pool limits each query, so one that hangs costs one connection and blocks nobody else.
  const pool = openPool(parts.url, parts.connections ?? 5, limits.answerMs)
  const digester = secretDigester(parts.keys)
  const receivers = openReceiverCache(pool, parts.listener)
  const refusals = openRefusalCounter(pool, receivers.isKnown)
  const refusedBodies = openRefusedBodyLog(pool)
  const requests = openRequestLog(pool, receivers.isKnown)
  const announce = announceStored(pool)
  const lostAnswers = openLostAnswers(pool, announce)
  const processId = newHolder()
  const presence = openPresence(pool, processId, announce, parts.presence)
  const keys = openOwnKeyCheck(pool, digester, processId, parts.onAgreed ?? (() => undefined))
  const store = openStore(
    pool,
    { onStored: announce, onUnsure: (id) => lostAnswers.add(id, 'answered-late') },
    limits,
  )
  let beginning: Promise<ReadonlySet<string>> | undefined

  return {
    digester,
    receivers,
    refusals,
    refusedBodies,
    requests,
    lostAnswers,
    store,
    memory: openMemoryBudget(),
    answerLimit: limits.answerMs,
    bodyMs: parts.bodyMs ?? bodyTimeLimit,
    keys,
    pool,
    findAddress: parts.findAddress ?? connectionAddress,
    everyAnswer: parts.everyAnswer ?? {},
    begin() {
      beginning ??= presence
        .begin()
        .then(keys.check)
        .catch((error) => {
          beginning = undefined
          throw error
        })
      return beginning
    },
    async close() {
      receivers.close()
      await store.close()
      await refusals.close()
      await refusedBodies.close()
      await requests.close()
      await lostAnswers.close()
      await keys.close()
      await presence.close()
      await pool.end()
    },
  }
}

const connectionAddress: FindAddress = (connection) => connection ?? null

declare global {
  var rampartIngest: Ingest | undefined
}
