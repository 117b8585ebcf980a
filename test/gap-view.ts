import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'

/** A gap of one endpoint, "Payments", that the service switched off at 02:10 and that lasts, but for what is given. */
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

/** An endpoint that was sent everything that another missed, "All". */
export const substitute: GapView['otherEndpoints'][number] = {
  uuid: 'e-2',
  name: 'All',
  deliveries: 8,
  exact: true,
  isFullSubstitute: true,
  hadGap: false,
}
