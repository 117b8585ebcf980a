import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import type { RequestFilters, RequestPage } from '#lib/endpoints/list-requests.ts'
import type { Traffic } from '#lib/endpoints/read-traffic.ts'
import { answerLabels } from './answer-labels.ts'
import { NextAttempts } from './next-attempts.tsx'
import { RequestsChart } from './requests-chart.tsx'
import { RequestsTable } from './requests-table.tsx'

/** What arrived at an endpoint of this dashboard: how much, what comes again, and each request. */
export function RequestsCard({
  path,
  filters,
  page,
  traffic,
  active,
}: {
  readonly path: string
  readonly filters: RequestFilters
  readonly page: RequestPage
  readonly traffic: Traffic
  /** Only to an active endpoint anything is sent. §6 */
  readonly active: boolean
}) {
  const { answer, before } = filters
  return (
    <section id="requests" className="min-w-0 overflow-hidden rounded-xl border bg-surface scroll-mt-4">
      <div className="grid gap-4 px-4 pt-4 pb-3.5 sm:px-5">
        <header className="flex flex-wrap items-baseline justify-between gap-x-3">
          <h2 className="font-title text-muted text-sm">Requests</h2>
          <p className="text-faint text-xs">Each of the last 7 days; no body and no secret is shown</p>
        </header>
        <RequestsChart hours={traffic.hours} />
        {active && <NextAttempts traffic={traffic} />}
        <Choices path={path} filters={filters} traffic={traffic} />
      </div>
      <div className="border-t">
        {page.rows.length > 0 ? (
          <RequestsTable requests={page.rows} />
        ) : (
          <p className="px-4 py-6 text-center text-muted text-sm sm:px-5">
            {answer || before ? 'No such request in the last 7 days.' : 'Nothing arrived in the last 7 days.'}
          </p>
        )}
      </div>
      {(page.next || before) && (
        <nav
          aria-label="Pages of requests"
          className="flex items-center justify-end gap-1.5 border-t px-3 py-2"
        >
          {before && (
            <ButtonLink size="sm" href={address(path, { answer })} scroll={false}>
              Latest
            </ButtonLink>
          )}
          {page.next && (
            <ButtonLink size="sm" href={address(path, { answer, before: page.next })} scroll={false}>
              Older
            </ButtonLink>
          )}
        </nav>
      )}
      {traffic.reasons.some(({ count }) => count > 0) && (
        <p className="border-t px-4 py-2 text-faint text-xs sm:px-5">
          <span className="block max-w-[80ch]">
            The chart (48 hours) and the numbers beside the answers (7 days) count every request, calls by
            strangers too. An alert counts what the service sent in 24 hours. The list shows up to 60 refusals
            of each kind a minute, and how long up to 60 taken requests a minute took.
          </span>
        </p>
      )}
    </section>
  )
}

function Choices({
  path,
  filters,
  traffic: { reasons },
}: {
  readonly path: string
  readonly filters: RequestFilters
  readonly traffic: Traffic
}) {
  const choices = [
    { answer: undefined, label: 'Any answer', count: null },
    { answer: 'taken', label: 'Taken', count: null },
    { answer: 'refused', label: 'Not taken', count: reasons.reduce((total, { count }) => total + count, 0) },
    ...reasons.map(({ why, count }) => ({ answer: why, label: answerLabels[why], count })),
  ]
  return (
    <Segmented
      name="Answer"
      segments={choices.map(({ answer, label, count }) => ({
        key: label,
        label,
        ...(count === null ? {} : { count: count.toLocaleString('en') }),
        href: address(path, { answer }),
        chosen: answer === filters.answer,
      }))}
    />
  )
}

const address = (
  path: string,
  { answer, before }: { answer?: string | undefined; before?: string | undefined },
) => {
  const query = new URLSearchParams({
    ...(answer ? { answer } : {}),
    ...(before ? { before } : {}),
  }).toString()
  return query === '' ? path : `${path}?${query}`
}

/** For an endpoint elsewhere: why there is nothing to see, and what can be sent there all the same. */
export function RequestsElsewhere({ sendFrom }: { readonly sendFrom: string | null }) {
  return (
    <Card title="Requests">
      <p className="text-muted text-sm">
        The service delivers elsewhere: what arrives there, and how it is answered, is not seen here.
        {sendFrom && ' What this dashboard has stored can be sent there.'}
      </p>
      {sendFrom && (
        <p className="mt-3">
          <ButtonLink href={sendFrom}>Send stored deliveries…</ButtonLink>
        </p>
      )}
    </Card>
  )
}
