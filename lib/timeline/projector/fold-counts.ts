import 'server-only'

/** The projector of this process has done so much since its start. */
export const foldCounts = {
  deliveries: 0,
  batches: 0,
  /** The seconds are from the beginning of each write of a batch to its commit. */
  seconds: 0,
  interruptions: 0,
}
