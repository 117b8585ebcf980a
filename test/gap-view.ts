import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'

/**
 * The gap belongs to one endpoint, "Payments", which the service switched off at 02:10. It lasts, except for the given
 * fields.
 */
export const gapView = (given: Partial<GapView> = {}): GapView => ({
  id: 'g-1',
  kind: 'auto-disabled',
  endpoint: { uuid: 'e-1', name: 'Payments' },
  beganAt: '2026-11-20T02:10:00.000Z',
  endedAt: null,
  note: null,
  otherEndpoints: [],
  refused: 0,
  reasons: [],
  retries: null,
  closed: null,
  ...given,
})

/** The endpoint "All" received everything that another missed. */
export const substitute: GapView['otherEndpoints'][number] = {
  uuid: 'e-2',
  name: 'All',
  deliveries: 8,
  exact: true,
  isFullSubstitute: true,
  hadGap: false,
}
