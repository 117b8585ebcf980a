import { Time } from '#components/ui/time.tsx'
import type { Traffic } from '#lib/endpoints/read-traffic.ts'

/** About when the service sends again what was not taken; nothing when nothing is expected. */
export function NextAttempts({ traffic: { retries, givenUp, atLeast } }: { readonly traffic: Traffic }) {
  if (retries.length === 0 && givenUp === 0) return null
  return (
    <p className="text-sm">
      {retries.length > 0 && (
        <>
          <b className="font-title">Next attempts</b>{' '}
          {retries.map(({ at, deliveries }, index) => (
            <span key={at}>
              {index > 0 && ', '}
              about <Time at={at} style="minute" className="num" />
              {atLeast && ` (at least ${deliveries.toLocaleString('en')})`}
              {!atLeast && deliveries > 1 && ` (${deliveries.toLocaleString('en')})`}
            </span>
          ))}
          <span className="text-muted">, by the schedule of retries.</span>
        </>
      )}
      {givenUp > 0 && (
        <span className="text-muted">
          {' '}
          {atLeast ? 'At least ' : ''}
          {givenUp === 1
            ? `${atLeast ? 'one' : 'One'} delivery`
            : `${givenUp.toLocaleString('en')} deliveries`}{' '}
          had the seventh and last attempt.
        </span>
      )}
    </p>
  )
}
