/** A mail to one recipient has a state. `unknown`: it may have arrived, and is not sent again. */
const mailStates = ['waiting', 'sent', 'failed', 'unknown'] as const

export type MailState = (typeof mailStates)[number]

/**
 * A try has an outcome. `taken`: the mail is on its way. `refused`: this recipient is refused for ever. `later`: the mail
 * was surely not taken. `unsure`: the whole mail was handed over, and no answer came.
 */
export interface TryOutcome {
  readonly kind: 'taken' | 'refused' | 'later' | 'unsure'
  /** The answer is the other side's in one line, or the reason why there is none. */
  readonly answer: string
}

export interface Tried {
  /** The count includes this try. */
  readonly tries: number
  /** The mail was handed over so many times before without an answer. */
  readonly unsure: number
  readonly giveUpAt: Date
}

/** A try leaves a mail in this state. */
export interface AfterTry {
  readonly state: MailState
  readonly unsure: number
  /** The time is null when the mail has ended. */
  readonly nextAt: Date | null
}

/** `afterTry` computes the state after a try, and the time of the next one. */
export function afterTry({ tries, unsure, giveUpAt }: Tried, { kind }: TryOutcome, now: Date): AfterTry {
  const doubts = unsure + (kind === 'unsure' ? 1 : 0)
  // A recipient who may have the mail has not surely missed it.
  const missed = doubts > 0 ? 'unknown' : 'failed'
  if (kind === 'taken') return { state: 'sent', unsure: doubts, nextAt: null }
  if (kind === 'refused' || doubts >= mostUnsure) return { state: missed, unsure: doubts, nextAt: null }
  const wait = kind === 'unsure' ? unsureWait * doubts : Math.min(firstWait * 2 ** (tries - 1), mostWait)
  const nextAt = new Date(now.getTime() + wait)
  return nextAt < giveUpAt
    ? { state: 'waiting', unsure: doubts, nextAt }
    : { state: missed, unsure: doubts, nextAt: null }
}

/**
 * The second try follows after `firstWait` milliseconds, and the wait doubles each time up to `mostWait`. Greylisting ends
 * after 1 to 5 minutes.
 */
const firstWait = 60_000
const mostWait = 30 * 60_000

/**
 * A mail that may have arrived is repeated after `unsureWait` milliseconds times the number of doubts, until there were
 * `mostUnsure`.
 */
const unsureWait = 30 * 60_000
const mostUnsure = 3

/** A mail is given up after this many milliseconds. An old mail says little, and the pages show what it was about. */
export const patienceOf = {
  notices: 24 * 3_600_000,
  alerts: 24 * 3_600_000,
  invitation: 24 * 3_600_000,
  test: 3_600_000,
} as const

export type MailKind = keyof typeof patienceOf

/** The health says how mail works. Times are ISO 8601. */
export interface MailHealth {
  readonly lastSentAt: string | null
  readonly waiting: number
  /** A mail has been waiting too long since this time, and none was sent since; null while mails leave. */
  readonly lateSince: string | null
  /** Mails of the last day count that were not sent or whose outcome is unknown. Tests do not count. */
  readonly lost: number
  /** The fault is the mail server's last answer that refused a mail; null when it accepted all. */
  readonly lastFault: { readonly at: string; readonly answer: string } | null
  /** A mail was last tried at this time. */
  readonly triedAt: string | null
}

/** A mail may wait this many milliseconds. A server with greylisting accepts it within them. */
export const lateAfterMs = 6 * 60_000

/** The trouble says why mail needs attention; null for none. `late`: no mail leaves now. `lost`: a recipient was refused. */
export const mailTrouble = ({ lateSince, lost }: MailHealth): 'late' | 'lost' | null =>
  lateSince !== null ? 'late' : lost > 0 ? 'lost' : null
