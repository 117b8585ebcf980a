import { CopyButton } from '#components/ui/copy-button.tsx'
import { type AllowedExport, ExportButton } from '#components/ui/form/export-button.tsx'
import type { AskableGap } from '#lib/endpoints/gaps/gaps.ts'
import { missesDeliveries } from '#lib/endpoints/rules/gaps.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { gapMeaning, gapTitle } from './gap-labels.ts'

/** Staff pass these on: a text for the provider, and the open transactions for roles that may export. */
export function GapExports({
  gap,
  allowExport,
}: {
  readonly gap: AskableGap
  /** `allowExport` is null for roles that may not export. */
  readonly allowExport: Action<AllowedExport> | null
}) {
  return (
    <>
      <CopyButton text={gapProviderText(gap)}>Copy for provider</CopyButton>
      {allowExport && gap.total.count > 0 && (
        <ExportButton
          label="Export CSV"
          title="Export the transactions that were open?"
          description="A CSV file with amounts and user IDs. All admins are told."
          action={allowExport}
          fields={{ gapId: gap.id }}
          address={`/api/gaps/${gap.id}`}
        />
      )}
    </>
  )
}

/** The provider's support needs this text: the time of the gap, its endpoint and its transactions. Times are in UTC. */
export function gapProviderText(gap: AskableGap): string {
  const { beganAt, endedAt, endpoint, kind, refused, unheard, total } = gap
  const sendAgain = 'Please send the notifications of that time again.'
  const transactions = gap.transactions.filter((one) => unheard === 0 || one.unheard)
  const facts = [
    ...(kind === 'restored' ? [restored(beganAt, endedAt)] : perhapsMissing(gap)),
    ...(endpoint ? [`endpoint uuid: ${endpoint.uuid}`] : []),
    ...(refused > 0 ? [`deliveries rejected: ${refused}`] : []),
  ]
  if (transactions.length === 0) {
    const none = [...facts, 'No known transaction was open.']
    return (kind === 'restored' ? [...none, '', sendAgain] : none).join('\n')
  }
  const rest = (unheard || total.count) - transactions.length
  return [
    ...facts,
    '',
    unheard > 0
      ? 'Open at that time, without an update since, with the last status received:'
      : 'Open at that time, with the last status received:',
    ...transactions.map(
      ({ uuid, direction, step, lastMoveAt }) => `${uuid}  ${direction ?? ''} ${step ?? ''} ${lastMoveAt}`,
    ),
    ...(rest > 0 ? [`and ${total.exact ? '' : 'more than '}${rest} more`] : []),
    '',
    kind === 'restored'
      ? sendAgain
      : 'Please tell us their current status, or send those notifications again.',
  ].join('\n')
}

const perhapsMissing = (gap: AskableGap) => [
  `${missesDeliveries(gap.kind) ? 'Webhook deliveries may be missing' : 'We do not know whether our webhook endpoints were active'} from ${gap.beganAt} to ${gap.endedAt ?? 'now'} (UTC).`,
  `${gapTitle(gap)}. ${gapMeaning(gap)}`,
]

const restored = (beganAt: string, endedAt: string | null) =>
  `Our database was restored from a backup. Webhook deliveries acknowledged from ${beganAt} to ${endedAt ?? 'now'} (UTC) are gone and are not retried.`
