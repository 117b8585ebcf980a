import { Disclosure } from '#components/ui/disclosure.tsx'
import { Time } from '#components/ui/time.tsx'
import type { CodeRequestView } from '#lib/audit/list-code-requests.ts'
import { deviceLabel } from '#lib/identity/labels/device-label.ts'

/** The codes that were asked for in the last day, and which of them the service did not send. */
export function CodesAskedFor({ codes }: { readonly codes: readonly CodeRequestView[] }) {
  if (codes.length === 0) return null
  return (
    <div className="mt-3">
      <Disclosure summary={summaryOf(codes.length)}>
        <ul className="grid gap-2 text-sm">
          {codes.map(({ at, why, userAgent }) => (
            <li key={at}>
              <Time at={at} style="clock" />, {deviceLabel(userAgent)}
              <span className="block text-muted text-xs">
                {why === null ? 'Given to the service to be sent' : (refusals.get(why) ?? `Not sent: ${why}`)}
              </span>
            </li>
          ))}
        </ul>
      </Disclosure>
    </div>
  )
}

/** At most 20 are read. */
const summaryOf = (count: number) =>
  count === 1
    ? 'One code asked for in the last day'
    : `${count === 20 ? 'The latest 20' : count} codes asked for in the last day`

const refusals: ReadonlyMap<string, string> = new Map([
  ['service-busy', 'Not sent: too many were asked for at the service'],
  ['service-unavailable', 'Not sent: the service did not answer'],
  ['key-refused', 'Not sent: the service refused the API key'],
  ['code-refused', 'Not sent: the service does not know this user, or refused the request'],
])
