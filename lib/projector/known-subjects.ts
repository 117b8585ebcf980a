import 'server-only'
import type pg from 'pg'
import { loadKnown } from './load-known.ts'
import type { KnownSubject } from './project-subject.ts'

/** Deliveries kept in memory, over all subjects. */
const mostKept = 200_000

/**
 * What the tables hold of subjects. Those with very many deliveries are kept in memory between batches, so that each
 * of their deliveries does not read all the others again. Only the lease's holder writes, so what it wrote still holds.
 */
export class KnownSubjects {
  readonly #pool: pg.Pool
  /** With fewer deliveries a subject is read from the tables each time it is folded. */
  readonly #worthKeeping: number
  readonly #kept = new Map<string, KnownSubject>()
  #size = 0

  constructor(pool: pg.Pool, worthKeeping = 200) {
    this.#pool = pool
    this.#worthKeeping = worthKeeping
  }

  /** By subject id; those never seen are missing. */
  async load(subjectIds: readonly string[]): Promise<Map<string, KnownSubject>> {
    const missing = subjectIds.filter((id) => !this.#kept.has(id))
    const known: Map<string, KnownSubject> =
      missing.length > 0 ? await loadKnown(this.#pool, missing) : new Map()
    for (const id of subjectIds) {
      const kept = this.#kept.get(id)
      if (kept) known.set(id, kept)
    }
    return known
  }

  /** To be called with what was committed. */
  keep(subjectId: string, known: KnownSubject): void {
    this.#forget(subjectId)
    if (known.facts.size < this.#worthKeeping) return
    this.#kept.set(subjectId, known)
    this.#size += known.facts.size
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= mostKept) break
      this.#forget(oldest)
    }
  }

  /** After a failure nobody knows what was written. */
  clear(): void {
    this.#kept.clear()
    this.#size = 0
  }

  #forget(subjectId: string): void {
    this.#size -= this.#kept.get(subjectId)?.facts.size ?? 0
    this.#kept.delete(subjectId)
  }
}
