/** A tone is shown as a colour and an icon, always beside the word. */
export type Tone = 'wait' | 'move' | 'held' | 'done' | 'fail' | 'back'

/** Staff read a status in these words. */
export interface StaffWords {
  readonly label: string
  readonly tone: Tone
  /** The sentence says what happened, and no more than the contract does. */
  readonly meaning: string
  /** The sentence says who must act, and how. */
  readonly next: string
}

/** People read a status in these words. */
export interface StatusLabel {
  readonly label: string
  /** The meaning uses the words of §6; null for an unknown step. */
  readonly meaning: string | null
  readonly tone: Tone
}

/** Staff read a status with the next action. */
export interface StaffLabel extends StatusLabel {
  /** The sentence says who must act, and how; null when that is not known. */
  readonly next: string | null
}
