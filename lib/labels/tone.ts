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
