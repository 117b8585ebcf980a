import type { Health } from '#lib/operations/rules/health.ts'

export interface FirstStep {
  readonly step: 'service' | 'endpoint' | 'delivery'
  readonly done: boolean
}

/** What a new installation needs before anything shows, in the order in which it can be done. */
export const firstStepsOf = ({ service, receiving, lastDeliveryAt }: Health): readonly FirstStep[] => [
  { step: 'service', done: service?.look === 'seen' },
  { step: 'endpoint', done: receiving === true },
  { step: 'delivery', done: lastDeliveryAt !== null },
]
