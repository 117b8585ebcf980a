import 'server-only'
import type pg from 'pg'
import { loadKnown } from './load-known.ts'
import type { KnownSubject } from './project-subject.ts'

/** Deliveries kept in memory, over all subjects. */
const mostKept = 200_000

/** With fewer deliveries, a subject that a rebuild meets again is simply made anew again. */
const worthRemembering = 20

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
  /** The run of a rebuild, and the larger subjects that it made anew: their rows can be trusted. */
  #rebuild: string | null = null
  readonly #rebuilt = new Set<string>()

  constructor(pool: pg.Pool, worthKeeping = 200) {
    this.#pool = pool
    this.#worthKeeping = worthKeeping
  }

  /** By subject id; those never seen are missing. */
  async load(subjectIds: readonly string[]): Promise<Map<string, KnownSubject>> {
    const known = await loadKnown(
      this.#pool,
      subjectIds.filter((id) => !this.#kept.has(id)),
    )
    for (const id of subjectIds) {
      const kept = this.#kept.get(id)
      if (kept) known.set(id, kept)
    }
    return known
  }

  /** Whether this run of a rebuild made the subject anew already. */
  wasRebuilt(subjectId: string, rebuild: string): boolean {
    return this.#rebuild === rebuild && this.#rebuilt.has(subjectId)
  }

  /** To be called with what was committed; `rebuild` is the run for which it was made anew. */
  keep(subjectId: string, known: KnownSubject, rebuild: string | null): void {
    this.#forget(subjectId)
    if (rebuild !== null && known.facts.size >= worthRemembering) this.#remember(subjectId, rebuild)
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
    this.#rebuilt.clear()
  }

  #remember(subjectId: string, rebuild: string): void {
    if (this.#rebuild !== rebuild) this.#rebuilt.clear()
    this.#rebuild = rebuild
    this.#rebuilt.add(subjectId)
  }

  #forget(subjectId: string): void {
    this.#size -= this.#kept.get(subjectId)?.facts.size ?? 0
    this.#kept.delete(subjectId)
  }
}
