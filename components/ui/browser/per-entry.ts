/** The entry of the browser's history in which this page stands; null where the browser does not tell entries apart. */
export const entryKey = (): string | null =>
  'navigation' in window ? (window.navigation.currentEntry?.key ?? null) : null

/** What is kept for the latest entries of the browser's history while this tab lives. */
export class PerEntry<T> {
  readonly #kept = new Map<string, T>()

  get(entry: string | null): T | undefined {
    return entry === null ? undefined : this.#kept.get(entry)
  }

  set(entry: string | null, value: T): void {
    if (entry === null) return
    this.#kept.delete(entry)
    this.#kept.set(entry, value)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostEntries) return
      this.#kept.delete(oldest)
    }
  }
}

const mostEntries = 30
