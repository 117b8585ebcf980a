/** How far a mail to one recipient is. `unknown`: it may have arrived, and is not sent again. */
const mailStates = ['waiting', 'sent', 'failed', 'unknown'] as const

export type MailState = (typeof mailStates)[number]

/**
 * The outcome of one try, whatever carried it. `taken`: it is on its way. `refused`: for good, this recipient alone. `later`: it surely
 * was not taken. `unsure`: it was handed over whole, and no answer came.
 */
export interface TryOutcome {
  readonly kind: 'taken' | 'refused' | 'later' | 'unsure'
  /** The other side's answer in one line, or why there is none. */
  readonly answer: string
}

export interface Tried {
  /** How often, this time included. */
  readonly tries: number
  /** How often before it was handed over whole without an answer. */
  readonly unsure: number
  readonly giveUpAt: Date
}

/** Where a try leaves a mail. */
export interface AfterTry {
  readonly state: MailState
  readonly unsure: number
  /** Null when it has ended. */
  readonly nextAt: Date | null
}

/** The state after a try, and when the next one is. */
export function afterTry({ tries, unsure, giveUpAt }: Tried, { kind }: TryOutcome, now: Date): AfterTry {
  const doubts = unsure + (kind === 'unsure' ? 1 : 0)
  // Whoever may have it already has not surely missed it.
  const missed = doubts > 0 ? 'unknown' : 'failed'
  if (kind === 'taken') return { state: 'sent', unsure: doubts, nextAt: null }
  if (kind === 'refused' || doubts >= mostUnsure) return { state: missed, unsure: doubts, nextAt: null }
  const wait = kind === 'unsure' ? unsureWait * doubts : Math.min(firstWait * 2 ** (tries - 1), mostWait)
  const nextAt = new Date(now.getTime() + wait)
  return nextAt < giveUpAt
    ? { state: 'waiting', unsure: doubts, nextAt }
    : { state: missed, unsure: doubts, nextAt: null }
}

/** Milliseconds until the second try, which double with each; and the most of them. Greylisting ends after 1 to 5 minutes. */
const firstWait = 60_000
const mostWait = 30 * 60_000

/** Milliseconds until a mail is repeated that may have arrived, each time as much longer; and how often no answer may come. */
const unsureWait = 30 * 60_000
const mostUnsure = 3

/** Milliseconds after which nobody tries any more: a mail of yesterday says little, and what it told stands on the pages. */
export const patienceOf = { notices: 24 * 3_600_000, invitation: 24 * 3_600_000, test: 3_600_000 } as const

export type MailKind = keyof typeof patienceOf

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
