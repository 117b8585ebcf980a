import { type ChangedSubjects, later, parseStreamPosition } from './stream-message.ts'

/** Changes that are kept for tabs that open or wake up. */
const maxKept = 500

/** What a stream has brought, so that a tab can be told what came after its page was made. */
export class ChangeLog {
  /** Everything after it is known. */
  #from: string | null
  #position: string | null
  #kept: { readonly position: string; readonly subjects: ChangedSubjects }[] = []

  /** `position` is where the stream begins; null when nobody knows. */
  constructor(position: string | null) {
    this.#from = position
    this.#position = position
  }

  get position(): string | null {
    return this.#position
  }

  add(position: string | null, subjects: ChangedSubjects): void {
    // Nobody knows how far it is with that: the next position says it.
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

  /** What came after this position. */
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
