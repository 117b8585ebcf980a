import 'server-only'
import type { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { findReceiver } from '#lib/deliveries/receivers/receiver-store.ts'
import { isSandboxReceiver, receiverInPath } from '#lib/platform/addresses/receiver-url.ts'
import { AddressRefused, findPublicAddress } from '#lib/platform/addresses/public-address.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { InvalidInput } from '#lib/platform/refusals.ts'
import { maskUrl } from '#lib/platform/rules/network-addresses.ts'
import { launchReplay } from './launch-replay.ts'
import { filterEntries, type StartReplaySchema, thisDashboard } from './replay-forms.ts'
import { insertReplay } from './replay-store.ts'

/**
 * Sends stored deliveries again in order of arrival: into the projection, or to an address with a secret that
 * is not stored. Returns once the set of deliveries is fixed. Throws `NotAllowed`, `SignInAgain`, `InvalidInput`
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
  // Refuses this dashboard under any name, such as 127.0.0.1 or an earlier public address.
  if (await findReceiver(receiverInPath(url.href))) throw new InvalidInput({ address: thisDashboard })
  try {
    await findPublicAddress(url.hostname, { loopback: isSandboxReceiver(url) })
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    throw new InvalidInput({ address: addressMessages[error.why] })
  }
}

const addressMessages = {
  internal: 'This address leads to an internal network.',
  'unknown-host': 'This host has no address: check its name.',
} as const satisfies Record<AddressRefused['why'], string>
