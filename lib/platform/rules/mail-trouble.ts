/** How mail went. Times are ISO 8601. */
export interface MailHealth {
  readonly lastSentAt: string | null
  readonly waiting: number
  /** Since when a mail waits that should long have been sent; null while none does. */
  readonly lateSince: string | null
  /** Mails of the last day that were not sent, or of which nobody knows; tests do not count. */
  readonly lost: number
  /** The answer of the mail server when it last did not take a mail; null when it always did. */
  readonly lastFault: { readonly at: string; readonly answer: string } | null
  /** When a mail was last tried. */
  readonly triedAt: string | null
}

/** Milliseconds for which a mail may wait. A server with greylisting takes one within them. */
export const lateAfterMs = 6 * 60_000

/** Why somebody should look at mail; null while nothing is wrong. `late`: nothing goes now, rather than one recipient was refused. */
export const mailTrouble = ({ lateSince, lost }: MailHealth): 'late' | 'lost' | null =>
  lateSince !== null ? 'late' : lost > 0 ? 'lost' : null
