import { Link } from '#components/ui/link.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import { deliveryReasonMessage } from '#lib/deliveries/labels/delivery-labels.ts'
import type { SameReason } from '#lib/timeline/rules/decide-repeat.ts'

/** One request that arrived. */
export interface ListedDelivery {
  readonly id: string
  readonly receivedAt: string
  /** The service's uuid of the endpoint, where it is known. */
  readonly endpointUuid: string | null
  /** Null where it was never seen. */
  readonly endpointName: string | null
  readonly answer: 'sure' | 'unsure'
  readonly reason: SameReason
}

/** Every delivery of one event, first to last, each with the reason why it belongs to it. */
export function DeliveryList({ received }: { readonly received: readonly ListedDelivery[] }) {
  return (
    <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {received.map((delivery) => (
        <li
          key={delivery.id}
          className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-0.5 text-sm sm:grid-cols-[7.5rem_minmax(0,1fr)]"
        >
          <Time at={delivery.receivedAt} style="clock" className="mono pt-px text-muted" />
          <div className="min-w-0">
            <p>
              {deliveryReasonMessage(delivery.reason)}
              {delivery.answer === 'unsure' && '. Our answer may not have reached the sender'}
            </p>
            <p className="flex flex-wrap items-center gap-x-3 text-muted text-xs">
              {delivery.endpointUuid && (
                <span className="inline-flex max-w-full flex-wrap items-center gap-x-1">
                  Endpoint{' '}
                  {delivery.endpointName ? (
                    <Link
                      href={`/endpoints/${delivery.endpointUuid}`}
                      className="wrap-anywhere min-w-0 py-1 underline underline-offset-2 hover:text-text"
                    >
                      {delivery.endpointName}
                    </Link>
                  ) : (
                    <ShortId id={delivery.endpointUuid} />
                  )}
                </span>
              )}
              <span className="inline-flex max-w-full flex-wrap items-center gap-x-1">
                Delivery <ShortId id={delivery.id} />
              </span>
            </p>
          </div>
        </li>
      ))}
    </ol>
  )
}

/** "Received 3 times". */
export const timesReceived = (deliveries: number): string =>
  deliveries === 1 ? 'Received once' : `Received ${deliveries} times`
