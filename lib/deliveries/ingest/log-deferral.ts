import 'server-only'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import type { Ingest } from './ingest.ts'
import type { Rejection } from './outcome.ts'

const limited = limitedLog(logOf('ingest'))

/** Why a delivery was answered 503: the first of each cause at once, then one line in ten seconds with how many there were. */
export function logDeferral(rejection: Rejection, receiver: string | null, { store }: Ingest): void {
  const err = 'cause' in rejection ? rejection.cause : undefined
  const cause = err === undefined ? rejection.kind : `${rejection.kind} ${causeOf(err)}`
  // Ordinary while an endpoint is made or its secret rotated.
  const level = rejection.kind === 'secret-not-known-yet' ? 'info' : 'error'
  const fields = { receiver, estimatedWaitMs: Math.round(store.estimatedWaitMs()) }
  limited[level](cause, err === undefined ? fields : { ...fields, err }, 'A delivery was answered 503')
}
