/** What a colour and an icon stand for; the word always stands beside them. */
export type Tone = 'wait' | 'move' | 'held' | 'done' | 'fail' | 'back'

/** The words of a state for staff. */
export interface StaffWords {
  readonly label: string
  readonly tone: Tone
  /** What happened, in a sentence that says no more than the contract does. */
  readonly meaning: string
  /** Who must act, and how, in a sentence. */
  readonly next: string
}

/** A state as people read it. */
export interface StatusLabel {
  readonly label: string
  /** In the words of §6; null for a step that we do not know. */
  readonly meaning: string | null
  readonly tone: Tone
}

/** A state as staff read it. */
export interface StaffLabel extends StatusLabel {
  /** Who must act, and how; null where that is not known. */
  readonly next: string | null
}
