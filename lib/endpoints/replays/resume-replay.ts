import 'server-only'
import type { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { replayResultDays } from '#lib/deliveries/retention-rules.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { maskUrl } from '#lib/platform/rules/network-addresses.ts'
import { launchReplay } from './launch-replay.ts'
import type { ResumeReplaySchema } from './replay-forms.ts'
import { resumeStoredReplay } from './replay-store.ts'

/**
 * Goes on with a replay that was stopped or interrupted, from where it stood. Throws `NotAllowed`, `SignInAgain`,
 * `InvalidInput` and `Refused`.
 */
export async function resumeReplay(
  caller: Caller,
  { replayId, secret, reason }: z.output<typeof ResumeReplaySchema>,
  source: CallSource,
): Promise<{ readonly replayId: string }> {
  requirePermission(caller, 'replay-deliveries')
  requireFreshSignIn(caller)
  const { rows } = await pool().query<{ kind: string }>('SELECT kind FROM replay WHERE id = $1', [replayId])
  if (rows[0]?.kind === 'post' && secret === undefined) {
    throw new InvalidInput({ secret: 'Give the secret again: it was not kept.' })
  }
  const replay = await inTransaction(pool(), async (tx) => {
    const revived = await resumeStoredReplay(tx, replayId, caller.sessionId)
    if (!revived) throw new Refused(nothingToResume)
    const entry = {
      actor: caller,
      action: 'replay.resume',
      target: replayId,
      outcome: 'done',
      reason,
    } as const
    await recordAudit(tx, entry, source)
    const to = revived.address === null ? 'into this dashboard' : `to ${maskUrl(revived.address)}`
    await tellAdmins(tx, { kind: 'replay-resumed', actor: caller, about: replayId, reason, facts: { to } })
    return revived
  })
  launchReplay(replay, secret ?? '')
  return { replayId }
}

const nothingToResume = {
  title: 'This replay cannot go on.',
  next: `It is running already, done, or rested for more than ${replayResultDays} days. Reload the page to see how it stands.`,
}
