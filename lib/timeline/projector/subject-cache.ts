import 'server-only'
import type pg from 'pg'
import { loadSubjects } from './load-subjects.ts'
import type { KnownSubject } from './project-subject.ts'

/** Bytes that are kept in memory, about, over all subjects. */
const maxBytes = 64 * 1024 * 1024

/** Most subjects remembered as rebuilt by the current run; beyond that a subject may be rebuilt twice. */
const maxRebuilt = 50_000

/**
 * Caches the stored rows of recently used subjects, since the next step of a transaction comes soon. Only the
 * holder of the lease writes, so the cache stays valid.
 */
export class SubjectCache {
  readonly #pool: pg.Pool
  readonly #most: number
  readonly #cached = new Map<string, KnownSubject>()
  #bytes = 0
  /**
   * The run (replay or rebuild) whose subjects in `#rebuilt` were read from the log, so that their rows can
   * be trusted.
   */
  #run: string | null = null
  readonly #rebuilt = new Set<string>()

  /** `most`: bytes, about. */
  constructor(pool: pg.Pool, most = maxBytes) {
    this.#pool = pool
    this.#most = most
  }

  /** By subject id; those never seen are missing. */
  async load(subjectIds: readonly string[]): Promise<Map<string, KnownSubject>> {
    const known = new Map<string, KnownSubject>()
    const missing: string[] = []
    for (const id of subjectIds) {
      const cached = this.#cached.get(id)
      if (cached) known.set(id, cached)
      else missing.push(id)
    }
    for (const [id, loaded] of await loadSubjects(this.#pool, missing)) known.set(id, loaded)
    return known
  }

  /** Whether the subject was read from the log for this run already. */
  wasRebuilt(subjectId: string, run: string): boolean {
    return this.#run === run && this.#rebuilt.has(subjectId)
  }

  /** Stores what is being written. `run`: the run for which the subject was read from the log. */
  keep(subjectId: string, known: KnownSubject, run: string | null): void {
    this.forget(subjectId)
    if (run !== null) this.#remember(subjectId, run)
    this.#cached.set(subjectId, known)
    this.#bytes += bytesOf(known)
    for (const oldest of this.#cached.keys()) {
      if (this.#bytes <= this.#most) break
      this.forget(oldest)
    }
  }

  forget(subjectId: string): void {
    const cached = this.#cached.get(subjectId)
    if (!cached) return
    this.#bytes -= bytesOf(cached)
    this.#cached.delete(subjectId)
  }

  /** Called when the outcome of a write is unknown, or another process may have written. */
  clear(): void {
    this.#cached.clear()
    this.#bytes = 0
    this.#rebuilt.clear()
  }

  #remember(subjectId: string, run: string): void {
    if (this.#run !== run || this.#rebuilt.size >= maxRebuilt) this.#rebuilt.clear()
    this.#run = run
    this.#rebuilt.add(subjectId)
  }
}

/** About: a summary of an envelope has some twenty short texts, a fact a few ids. */
const bytesOf = ({ facts, events }: KnownSubject) => 500 + 600 * facts.size + 2_500 * events.size
