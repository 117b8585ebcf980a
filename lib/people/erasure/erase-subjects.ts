import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { eraseBody } from '#lib/timeline/projector/erased-people.ts'
import { collectValues } from './collect-values.ts'
import type { ErasureCounts, RunningErasure } from './erasure-store.ts'
import { holdsValue } from './person-values.ts'
import { rewriteSubjects } from './rewrite-subjects.ts'

/** Takes a person out of these subjects. A subject whose id is the person's own goes on under another. */
export const eraseSubjects = (
  tx: Transaction,
  erasure: RunningErasure,
  subjectIds: readonly string[],
): Promise<ErasureCounts> =>
  rewriteSubjects(tx, subjectIds, async (bodies) => {
    await collectValues(
      tx,
      erasure,
      bodies.map(({ body }) => body),
    )
    return ({ body }) => eraseBodyOf(erasure, body)
  })

/** What is kept of a body; null when it neither is about the person nor names them. */
export function eraseBodyOf(erasure: RunningErasure, body: Uint8Array): Uint8Array | null {
  return eraseBody(body, erasure.userUuid, erasure.mark, (text) => holdsValue(erasure, text))
}
