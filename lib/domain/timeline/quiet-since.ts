import { minQuietMs } from '#lib/domain/gaps/find-silence.ts'
import type { Span } from '#lib/domain/timeline/decide-repeat.ts'
import { earliestAttempt } from '#lib/domain/timeline/earliest-attempt.ts'

/**
 * Waits that attempts may fail for in a quiet that nobody notices.
 * ASSUMED: a network that is dead for longer than three waits of §6.8, a quarter of an hour, is noticed; the fourth
 * wait leads out of it.
 */
const retries = 4

/** How long before a delivery such a quiet may matter, in ms. */
export const quietReach = 90 * 60_000

/**
 * The earliest moment at which the sender may have first tried what was received at `receivedAt`, if the network was
 * dead in one of `quiets`: times between two deliveries, whatever their subject and receiver, that are too long to
 * prove that it was not, and where there is too little traffic for anybody to wonder. Null when none explains it;
 * the quiet that it ends itself says nothing, since nothing else was received in the midst.
 */
export function quietSince(receivedAt: number, quiets: readonly Span[]): number | null {
  const firsts = quiets
    .filter(({ began, ended }) => ended - began >= minQuietMs && ended < receivedAt)
    // A delivery was received at either end.
    .flatMap(
      ({ began, ended }) =>
        earliestAttempt(receivedAt, [{ began: began + 1, ended: ended - 1 }], retries) ?? [],
    )
  return firsts.length === 0 ? null : Math.min(...firsts)
}
