import { type ChangedSubjects, later, parseStreamPosition } from './stream-message.ts'

/** This many changes are kept for tabs that open or wake up. */
const maxKept = 500

/** The log keeps what a stream has brought, so that a tab gets the changes since its page was made. */
export class ChangeLog {
  /** The log knows everything after this position. */
  #from: string | null
  #position: string | null
  #kept: { readonly position: string; readonly subjects: ChangedSubjects }[] = []

  /** The stream begins at `position`; null when that is unknown. */
  constructor(position: string | null) {
    this.#from = position
    this.#position = position
  }

  get position(): string | null {
    return this.#position
  }

  add(position: string | null, subjects: ChangedSubjects): void {
    // The position after this change is unknown. The next position sets it again.
    if (position === null && subjects === 'anything') this.#from = null
    if (position === null) return
    const before = parseStreamPosition(this.#position)
    this.#position = later(this.#position, position)
    if (this.#position === null) return
    if (this.#from === null || before?.boot !== parseStreamPosition(this.#position)?.boot) {
      this.#from = this.#position
      this.#kept = []
    }
    if (subjects.length > 0) this.#kept.push({ position: this.#position, subjects })
    while (this.#kept.length > maxKept) this.#from = this.#kept.shift()?.position ?? this.#from
  }

  /** The changes after this position are returned. */
  since(position: string | null): ChangedSubjects {
    const [asked, from] = [parseStreamPosition(position), parseStreamPosition(this.#from)]
    if (!asked || asked.boot !== from?.boot || asked.count < from.count) return 'anything'
    const missed = this.#kept.filter((each) => (parseStreamPosition(each.position)?.count ?? 0) > asked.count)
    const subjects = new Set<string>()
    for (const each of missed) {
      if (each.subjects === 'anything') return 'anything'
      for (const subject of each.subjects) subjects.add(subject)
    }
    return [...subjects]
  }
}
