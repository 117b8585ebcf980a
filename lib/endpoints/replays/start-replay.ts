import 'server-only'
import type { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { findReceiver } from '#lib/deliveries/receivers/receiver-store.ts'
import { replayResultDays } from '#lib/deliveries/retention-rules.ts'
import {
  AddressRefused,
  findPublicAddresses,
  isSandboxReceiver,
  receiverInPath,
} from '#lib/platform/addresses/public-address.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { logOf } from '#lib/platform/log.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { maskUrl } from '#lib/platform/rules/network-addresses.ts'
import {
  filterEntries,
  type ResumeReplaySchema,
  type StartReplaySchema,
  type StopReplaySchema,
  thisDashboard,
} from './replay-forms.ts'
import { insertReplay, type RunningReplay, resumeStoredReplay, stopStoredReplay } from './replay-store.ts'
import { postDeliveries, postDelivery, refoldDeliveries } from './run-replay.ts'

/**
 * Stored deliveries are sent again in order of arrival: into the projection, or to an address with a secret that is
 * not stored. This returns once the set of deliveries is fixed. Throws `NotAllowed`, `SignInAgain`, `InvalidInput`
 * and `Refused`.
 */
export async function startReplay(
  caller: Caller,
  form: z.output<typeof StartReplaySchema>,
  source: CallSource,
): Promise<{ readonly replayId: string }> {
  requirePermission(caller, 'replay-deliveries')
  requireFreshSignIn(caller)
  const { kind, reason } = form
  const { address, pace, secret } = kind === 'post' ? form : nowhereElse
  if (address) await checkAddress(new URL(address))
  const filter = filterEntries(form).map(([key, value]) => `${key} ${value}`)
  const replay = await inTransaction(pool(), async (tx) => {
    const made = await insertReplay(tx, {
      filter: form,
      address,
      pace,
      reason,
      actor: caller.id,
      sessionId: caller.sessionId,
    })
    const details = { address: address && maskUrl(address), pace, filter, deliveries: made.total }
    const entry = { actor: caller, action: 'replay.start', target: made.id, reason, details } as const
    await recordAudit(tx, { ...entry, outcome: 'done' }, source)
    const to = address ? `to ${maskUrl(address)}` : 'into this dashboard'
    const facts = { deliveries: String(made.total), to }
    await tellAdmins(tx, { kind: 'replay-started', actor: caller, about: made.id, reason, facts })
    return made
  })
  launchReplay(replay, secret)
  return { replayId: replay.id }
}

/** A replay into the projection has no pace and needs no secret. */
const nowhereElse = { address: null, pace: 0, secret: '' } as const

async function checkAddress(url: URL) {
  // This dashboard is refused under any name, such as 127.0.0.1 or an earlier public address.
  if (await findReceiver(receiverInPath(url.href))) throw new InvalidInput({ address: thisDashboard })
  try {
    await findPublicAddresses(url.hostname, { loopback: isSandboxReceiver(url) })
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    throw new InvalidInput({ address: addressMessages[error.why] })
  }
}

const addressMessages = {
  internal: 'This address leads to an internal network.',
  'unknown-host': 'This host has no address: check its name.',
} as const satisfies Record<AddressRefused['why'], string>

/**
 * A replay that was stopped or interrupted goes on with its next delivery. Throws `NotAllowed`, `SignInAgain`,
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
    if (!revived) throw new Refused('replay-not-resumable', { days: replayResultDays })
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

/**
 * The replay stops within a second and can go on later. It needs no fresh sign-in, because it does no harm. Throws
 * `NotAllowed` and `Refused`.
 */
export async function stopReplay(
  caller: Caller,
  { replayId, reason }: z.output<typeof StopReplaySchema>,
  source: CallSource,
): Promise<{ readonly replayId: string }> {
  requirePermission(caller, 'replay-deliveries')
  await inTransaction(pool(), async (tx) => {
    if (!(await stopStoredReplay(tx, replayId))) throw new Refused('replay-not-running')
    const entry = { actor: caller, action: 'replay.stop', target: replayId, outcome: 'done', reason } as const
    await recordAudit(tx, entry, source)
  })
  return { replayId }
}

const log = logOf('replay')

/**
 * The replay runs in this process, beside everything else, which alone holds the secret. When it ends too early it
 * becomes interrupted and can go on from there.
 */
function launchReplay(replay: RunningReplay, secret: string): void {
  void runToEnd(replay, secret).catch((error: unknown) => {
    log.error({ replay: replay.id, err: error }, 'A replay was interrupted')
  })
}

function runToEnd(replay: RunningReplay, secret: string): Promise<void> {
  if (replay.address === null) return refoldDeliveries(pool(), replay)
  const url = new URL(replay.address)
  const target = { url, secret, loopback: isSandboxReceiver(url) }
  return postDeliveries(pool(), replay, (body, stopped) => postDelivery(target, body, stopped))
}
