import type { AskableGap } from '#lib/gaps/get-gap.ts'
import { gapKindLabels, gapTitle } from './gap-labels.ts'

/** What the provider's support needs to know about a gap: when, which endpoint, which transactions. Times in UTC. */
export function gapProviderText(gap: AskableGap): string {
  const { beganAt, endedAt, endpoint, kind, refused, unheard, total } = gap
  const transactions = gap.transactions.filter((one) => unheard === 0 || one.unheard)
  const facts = [
    `Webhook deliveries may be missing from ${beganAt} to ${endedAt ?? 'now'} (UTC).`,
    `${gapTitle(gap)}. ${gapKindLabels[kind].meaning}`,
    ...(endpoint ? [`endpoint uuid: ${endpoint.uuid}`] : []),
    ...(refused > 0 ? [`deliveries not taken: ${refused}`] : []),
  ]
  if (transactions.length === 0) return [...facts, 'No transaction that we know of was open.'].join('\n')
  const rest = (unheard || total.count) - transactions.length
  return [
    ...facts,
    '',
    unheard > 0
      ? 'Open at that time, and nothing heard since, with the last step received:'
      : 'Open at that time, with the last step received:',
    ...transactions.map(
      ({ uuid, direction, step, lastMoveAt }) => `${uuid}  ${direction ?? ''} ${step ?? ''} ${lastMoveAt}`,
    ),
    ...(rest > 0 ? [`and ${total.exact ? '' : 'more than '}${rest} more`] : []),
    '',
    'Please tell us their present status, or send the notifications of that time again.',
  ].join('\n')
}
