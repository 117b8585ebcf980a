import { type DeliveryAnswer, send } from '../deliveries/send.ts'
import type { Envelope } from '../state/event-types.ts'
import type { Sandbox } from '../state/sandbox.ts'

/** Somebody who knows an endpoint's address and not its secret: calls it, one time after the other, with one made up. */
export async function knock(
  { options, ids }: Pick<Sandbox, 'options' | 'ids'>,
  { url }: { readonly url: string },
  times: number,
): Promise<DeliveryAnswer[]> {
  const body: Envelope = { type: 'KYC', subType: 'statusUpdate', uuid: ids.uuid('knock'), data: {} }
  const secret = ids.secret('knock')
  const call = { url, secret, body: JSON.stringify(body), timeoutMs: options.deliveryTimeoutMs }
  const answers: DeliveryAnswer[] = []
  while (answers.length < times) answers.push(await send({ ...call, stop: new AbortController().signal }))
  return answers
}
