import 'server-only'
import { type Listener, listener } from '#lib/db/listen.ts'
import { openPool } from '#lib/db/pool.ts'
import { env, type Key } from '#lib/env.ts'
import { announceStored } from './announce-stored.ts'
import { checkKeys } from './check-keys.ts'
import { type LostAnswers, openLostAnswers } from './lost-answers.ts'
import { openPresence } from './presence.ts'
import { openReceivers, type Receivers } from './receivers.ts'
import { openRefusals, type Refusals } from './refusals.ts'
import { openRoom, type Room } from './room.ts'
import { type SecretDigester, secretDigester } from './secret-digest.ts'
import { openStore, type Store, type StoreLimits, storeLimits } from './store.ts'

/** What `receive` works with: one per process. */
export interface Ingest {
  readonly digester: SecretDigester
  readonly receivers: Receivers
  readonly refusals: Refusals
  readonly lostAnswers: LostAnswers
  readonly store: Store
  readonly room: Room
  /** Milliseconds within which the database must have answered. */
  readonly answerLimit: number
  /** See `checkKeys`; throws when the database does not answer. */
  usableKeys(): Promise<ReadonlySet<string>>
  /** The same, once they were asked for; null before. */
  readonly knownKeys: ReadonlySet<string> | null
  /** Ends when everything taken so far is answered and written. */
  close(): Promise<void>
}

/** The ingest of this process, shared between the fast way and what Next bundles. */
export function ingest(): Ingest {
  globalThis.rampartIngest ??= openIngest({ url: env().databaseUrl, listener: listener(), keys: env().keys })
  return globalThis.rampartIngest
}

/** For an orderly end: before the listener is closed. */
export async function closeIngest(): Promise<void> {
  await globalThis.rampartIngest?.close()
  globalThis.rampartIngest = undefined
}

export function openIngest(parts: {
  readonly url: string
  readonly listener: Listener
  readonly keys: readonly [Key, ...Key[]]
  readonly limits?: StoreLimits
}): Ingest {
  const limits = parts.limits ?? storeLimits
  // Its own, so that pages cannot use its connections up; a query that hangs costs its connection, and nobody else.
  const pool = openPool(parts.url, 5, limits.answer)
  const digester = secretDigester(parts.keys)
  const receivers = openReceivers(pool, parts.listener)
  const refusals = openRefusals(pool)
  const announce = announceStored(pool)
  const lostAnswers = openLostAnswers(pool, announce)
  const presence = openPresence(pool, announce)
  const store = openStore(
    pool,
    { onStored: announce, onUnsure: (id) => lostAnswers.note(id, 'answered-late') },
    limits,
  )
  let usable: Promise<ReadonlySet<string>> | undefined
  let known: ReadonlySet<string> | null = null

  /** Before the first delivery is taken. */
  async function begin() {
    await presence.begin()
    known = await checkKeys(pool, digester)
    return known
  }

  return {
    digester,
    receivers,
    refusals,
    lostAnswers,
    store,
    room: openRoom(),
    answerLimit: limits.answer,
    usableKeys() {
      usable ??= begin().catch((error) => {
        usable = undefined
        throw error
      })
      return usable
    },
    get knownKeys() {
      return known
    },
    async close() {
      receivers.close()
      await store.close()
      await refusals.close()
      await lostAnswers.close()
      await presence.close()
      await pool.end()
    },
  }
}

declare global {
  var rampartIngest: Ingest | undefined
}
