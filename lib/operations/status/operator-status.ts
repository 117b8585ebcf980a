import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { z } from 'zod'
import { readOpenGaps } from '#lib/endpoints/gaps/gap-view.ts'
import { listKeyFaults } from '#lib/endpoints/read-key-faults.ts'
import { missesDeliveries } from '#lib/endpoints/rules/gaps.ts'
import { readServiceState } from '#lib/endpoints/service-key/service-state.ts'
import { mailTrouble } from '#lib/platform/rules/mail-states.ts'
import { findLostMonths, sayLost } from '#lib/timeline/projector/lost-months.ts'
import { readBacklog } from '#lib/timeline/projector/rebuild-progress.ts'
import { formatPlainDuration } from '#lib/words/labels/duration.ts'
import { listEndpointAttentionItems, listGapAttentionItems } from '../overview/list-endpoint-attention.ts'
import { readUnsaidRestore, unsaidRestoreWords } from '../restore/restore-state.ts'
import { readMailHealth } from '../settings/read-mail-health.ts'
import { readStatus } from './status.ts'

/** A problem needs an operator. The kinds may become more. */
const problemKinds = [
  'database-away',
  'no-projector',
  'backlog',
  'dead-letters',
  'key-fault',
  'key-refused',
  'service-away',
  'unwatched',
  'no-endpoint',
  'endpoint-off',
  'gap',
  'mail',
  'restored',
  'months-lost',
] as const

const time = z.iso.datetime()

/** `npm run rampart -- status --json` prints this. Fields may be added; docs/troubleshooting.md describes them. */
export const OperatorStatusSchema = z.strictObject({
  /** The status was read at this time. */
  at: time,
  /** `healthy` is true without problems. The exit code is then 0, and 1 otherwise. */
  healthy: z.boolean(),
  problems: z.array(
    z.strictObject({
      kind: z.enum(problemKinds),
      /** `found` says what is wrong, and `todo` what to do, in a sentence each. */
      found: z.string(),
      todo: z.string(),
    }),
  ),
  /** The figures are null when the database did not answer. */
  figures: z
    .strictObject({
      waiting: z.int(),
      oldestSeconds: z.number().nullable(),
      deadLetters: z.int(),
      projector: z.boolean(),
      rebuild: z.strictObject({ done: z.int(), total: z.int() }).nullable(),
      rulesOutdated: z.boolean(),
      /** `lateSince` is null while no mail waits too long. `lost` mails of the last day may have reached nobody. */
      mail: z.strictObject({
        waiting: z.int(),
        lateSince: time.nullable(),
        lost: z.int(),
        lastFault: z.string().nullable(),
      }),
      monthsLost: z.array(z.string()),
      lastDeliveryAt: time.nullable(),
      /** An active endpoint delivers here; null until the service has listed its endpoints. */
      receiving: z.boolean().nullable(),
      /** The last call of the service had this outcome; null before the first one. */
      service: z.enum(['seen', 'key-refused', 'unanswered']).nullable(),
      endpointsOff: z.int(),
      openGaps: z.int(),
    })
    .nullable(),
})

export type OperatorStatus = z.output<typeof OperatorStatusSchema>
type OperatorProblem = OperatorStatus['problems'][number]

/** Deliveries may wait this many seconds before an operator is needed. */
const backlogSeconds = 60

/** A start has its projector some seconds after its server. A process gives its work back when it stops. */
export const projectorStartMs = 6_000

/** `readSettledStatus` reads the status when a projector works, or has not begun to within some seconds. */
export async function readSettledStatus(pool: pg.Pool): Promise<OperatorStatus> {
  const until = performance.now() + projectorStartMs
  while (!(await readBacklog(pool)).active && performance.now() < until) await sleep(500)
  return readOperatorStatus(pool)
}

/** `readOperatorStatus` reads what an operator must know. Snoozed endpoints and gaps are no problem. */
export async function readOperatorStatus(pool: pg.Pool): Promise<OperatorStatus> {
  // Pages and this command share statements, which use the pool of the process.
  globalThis.rampartPool ??= pool
  const [backlog, mail, restored, lost, service, keyFaults] = await Promise.all([
    readBacklog(pool),
    readMailHealth(pool),
    readUnsaidRestore(pool),
    findLostMonths(pool),
    readServiceState(pool),
    listKeyFaults(pool),
  ])
  const [{ health }, gaps, off, open] = await Promise.all([
    readStatus(0),
    listGapAttentionItems(),
    listEndpointAttentionItems(),
    Array.fromAsync(readOpenGaps()),
  ])
  const missesNothing = open.filter(({ gap, severity }) => severity === 'info' || !missesDeliveries(gap.kind))
  const needNobody = new Set(missesNothing.map(({ gap }) => gap.id))
  const missing = gaps.filter(({ about }) => !needNobody.has(about))
  const problems: OperatorProblem[] = []
  const add = (kind: OperatorProblem['kind'], found: string, todo: string) =>
    problems.push({ kind, found, todo })

  if (!backlog.active)
    add(
      'no-projector',
      'No projector works: pages do not change.',
      'Start Rampart, or read its projector.log.',
    )
  else if ((backlog.oldestSeconds ?? 0) > backlogSeconds)
    add(
      'backlog',
      `${backlog.waiting} deliveries wait, the oldest for ${formatPlainDuration(backlog.oldestSeconds ?? 0)}.`,
      'Wait for it to become shorter, or raise PROJECTORS.',
    )
  if (backlog.deadLetters > 0)
    add(
      'dead-letters',
      `${backlog.deadLetters} deliveries could not be folded.`,
      'See why: npm run rampart dead-letters',
    )
  for (const { keyId, kind } of keyFaults)
    add(
      'key-fault',
      kind === 'changed'
        ? `A server runs with another value for the key ${keyId} of RAMPART_KEYS.`
        : `A server runs without the key ${keyId} of RAMPART_KEYS.`,
      'Put the right value back and restart. npm run rampart doctor compares the keys of its settings.',
    )
  if (service?.look === 'key-refused')
    add(
      'key-refused',
      `The service has refused the API key since ${service.since}.`,
      'Give another key on the page Settings, or by: npm run rampart service-key REASON… < FILE',
    )
  if (service?.look === 'unanswered')
    add(
      'service-away',
      `The service has not answered since ${service.since}.`,
      'See what it says: npm run rampart doctor',
    )
  if (service !== null && health.unwatchedSince !== null)
    add(
      'unwatched',
      `Nobody has asked the service for its endpoints since ${health.unwatchedSince}.`,
      'Start Rampart, or read its server.log.',
    )
  if (health.receiving === false)
    add('no-endpoint', 'No active endpoint delivers here.', 'Make or activate one on the page Endpoints.')
  if (off.length > 0)
    add(
      'endpoint-off',
      `${off.length === 1 ? '1 endpoint is' : `${off.length} endpoints are`} off: the service sends nothing there.`,
      'Activate it on the page Endpoints, or close its gap.',
    )
  if (missing.length > 0)
    add(
      'gap',
      `Deliveries may be missing: ${missing.length === 1 ? '1 gap is' : `${missing.length} gaps are`} open.`,
      'Check and close it on the page Missed deliveries.',
    )
  if (mailTrouble(mail) !== null)
    add(
      'mail',
      mail.lateSince === null
        ? `${mail.lost} mails of the last day may have reached nobody.`
        : `A mail has waited since ${mail.lateSince}${mail.lastFault === null ? '' : `: ${mail.lastFault.answer}`}.`,
      'Check the mail server, and send a test on the page Settings.',
    )
  if (restored)
    add('restored', 'This database was restored, or moved, and nobody has said so.', unsaidRestoreWords)
  if (lost.length > 0) add('months-lost', 'Months of the log are gone.', sayLost(lost))

  return {
    at: new Date().toISOString(),
    healthy: problems.length === 0,
    problems,
    figures: {
      waiting: backlog.waiting,
      oldestSeconds: backlog.oldestSeconds,
      deadLetters: backlog.deadLetters,
      projector: backlog.active,
      rebuild: backlog.rebuild && { done: backlog.rebuild.done, total: backlog.rebuild.total },
      rulesOutdated: backlog.outdated,
      mail: {
        waiting: mail.waiting,
        lateSince: mail.lateSince,
        lost: mail.lost,
        lastFault: mail.lastFault?.answer ?? null,
      },
      monthsLost: lost.map(({ name }) => name),
      lastDeliveryAt: health.lastDeliveryAt,
      receiving: health.receiving,
      service: service?.look ?? null,
      endpointsOff: off.length,
      openGaps: gaps.length,
    },
  }
}

/** The status when the database does not answer. */
export const databaseAway = (found: string): OperatorStatus => ({
  at: new Date().toISOString(),
  healthy: false,
  problems: [{ kind: 'database-away', found, todo: 'See what is wrong with it: npm run rampart doctor' }],
  figures: null,
})
