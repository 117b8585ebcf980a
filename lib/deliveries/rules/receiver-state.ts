/**
 * States of a receiver: `pending` until its endpoint and secret are known, `active`, `rotating` while a new secret is
 * awaited, `deleting` once deletion was requested, `closed`. docs/endpoints.md has the table.
 */
export const receiverStates = ['pending', 'active', 'rotating', 'deleting', 'closed'] as const

export type ReceiverState = (typeof receiverStates)[number]

/** A state that a later version wrote counts as active: its deliveries are taken. */
export const parseReceiverState = (text: string): ReceiverState =>
  receiverStates.find((state) => state === text) ?? 'active'

/** Whether deliveries that carry its secret are taken. */
export const takesDeliveries = (state: ReceiverState): boolean => state !== 'closed'

/**
 * Whether the sender may have a secret that is not known here yet. A delivery with an unknown secret is then answered
 * 503, so that it comes again.
 */
export const awaitsSecret = (state: ReceiverState): boolean => state === 'pending' || state === 'rotating'
