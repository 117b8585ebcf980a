import 'server-only'
import type pg from 'pg'
import type { OwnKeyCheck } from '#lib/deliveries/ingest/own-key-check.ts'
import { findMissingMigrations } from '#lib/platform/db/migrate.ts'
import { inTime } from '#lib/platform/in-time.ts'
import { causeOf } from '#lib/platform/log/limited.ts'

interface ReadinessParts {
  readonly pool: pg.Pool
  readonly keys: () => Pick<OwnKeyCheck, 'usable' | 'faults'>
  readonly isStopping: () => boolean
}

/** The reasons say why this process should get no requests now; there are none while it is ready. */
export type ReadReasons = () => Promise<readonly string[]>

/** The database must answer within this many milliseconds, and a probe gets its answer soon after. */
const answerMs = 1_500

/** Probes share an answer of the database for this many milliseconds, so that a flood of them costs nothing. */
const sharedMs = 500

/** `/readyz` answers 503 with these reasons, and 200 without one. They name migrations and keys by their names alone. */
export function openReadiness({ pool, keys, isStopping }: ReadinessParts): ReadReasons {
  let asked: { readonly answer: Promise<readonly string[]>; until: number } | undefined

  async function ask(): Promise<readonly string[]> {
    try {
      const missing = await findMissingMigrations(pool, answerMs)
      return missing.length === 0 ? [] : [`The database lacks migrations: ${missing.join(', ')}.`]
    } catch (error) {
      return [`The database did not answer (${causeOf(error)}).`]
    }
  }

  /** A question that hangs stays the only one. */
  function askDatabase() {
    if (asked && performance.now() < asked.until) return asked.answer
    const answer = ask().finally(() => {
      next.until = performance.now() + sharedMs
    })
    const next = { answer, until: Number.POSITIVE_INFINITY }
    asked = next
    return answer
  }

  return async () => {
    if (isStopping()) return ['This process is stopping.']
    const late = [`The database did not answer within ${answerMs / 1_000} s.`]
    const found = await inTime(askDatabase(), answerMs, late)
    return [...found, ...keyReasons(keys())]
  }
}

function keyReasons({ usable, faults }: Pick<OwnKeyCheck, 'usable' | 'faults'>): string[] {
  if (usable === null) return ['RAMPART_KEYS are not checked yet.']
  return faults.map(({ keyId, kind }) =>
    kind === 'changed'
      ? `RAMPART_KEYS: the key ${keyId} is not the one that this database knows.`
      : `RAMPART_KEYS: the key ${keyId} is missing.`,
  )
}
