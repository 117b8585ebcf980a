/**
 * A receiver's life: `pending` until its endpoint and secret are known, `active`, `rotating` while a new secret is on its
 * way, `deleting` once its endpoint was to go, `closed`. The table is in docs/endpoints.md.
 */
export const receiverStates = ['pending', 'active', 'rotating', 'deleting', 'closed'] as const

export type ReceiverState = (typeof receiverStates)[number]

/** A state that a later version wrote counts as active: its deliveries are taken. */
export const parseReceiverState = (text: string): ReceiverState =>
  receiverStates.find((state) => state === text) ?? 'active'

/** Whether deliveries that carry its secret are taken. */
export const takesDeliveries = (state: ReceiverState): boolean => state !== 'closed'

/** Whether the sender may know a secret that is not known here yet: a delivery that carries another is asked to come again. */
export const awaitsSecret = (state: ReceiverState): boolean => state === 'pending' || state === 'rotating'
