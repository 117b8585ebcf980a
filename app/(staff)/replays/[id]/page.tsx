import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import {
  destinationLabel,
  FilterWords,
  replayStateLabels,
} from '#components/endpoints/replays/replay-labels.tsx'
import {
  areResultsGone,
  ReplayProgress,
  ResultsTable,
} from '#components/endpoints/replays/replay-results.tsx'
import { ResumeReplayForm, StopReplay } from '#components/endpoints/replays/stop-and-resume.tsx'
import { decodePathPart } from '#components/ui/browser/paths.ts'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ExportButton } from '#components/ui/form/export-button.tsx'
import { AfterFreshSignIn } from '#components/ui/form/fresh-sign-in.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { PageLinks } from '#components/ui/list/page-links.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { Time } from '#components/ui/time.tsx'
import {
  findReplay,
  listResults,
  type ReplayView,
  type ResultPageView,
} from '#lib/endpoints/replays/replays.ts'
import { readFreshness } from '#lib/identity/passkeys/verify-passkey.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { allowResultsExportAction, resumeReplayAction, stopReplayAction } from '../actions.ts'

export const metadata: Metadata = { title: 'Replay' }

interface Props {
  readonly params: Promise<{ readonly id: string }>
  readonly searchParams: Promise<{
    readonly failed?: string | string[]
    readonly after?: string | string[]
  }>
}

export default async function ReplayPage({ params, searchParams }: Props) {
  const id = decodePathPart((await params).id)
  const caller = await requirePage('replay-deliveries', `/replays/${encodeURIComponent(id)}`)
  const { failed, after } = await searchParams
  const replay = await findReplay(caller, id)
  if (!replay) notFound()
  const onlyFailed = failed === '1'
  const start = typeof after === 'string' && /^\d{1,18}$/.test(after) ? after : '0'
  const results = await listResults(caller, id, { after: start, failed: onlyFailed })
  const gone = areResultsGone(replay, results.rows, { start, onlyFailed })
  return (
    <>
      <Heading replay={replay} gone={gone} />
      <div className="mt-5 grid grid-cols-[minmax(0,1fr)] gap-5">
        <Standing replay={replay} />
        {replay.state !== 'running' && replay.state !== 'done' && (
          <AfterFreshSignIn known={await readFreshness(caller)}>
            <ResumeReplayForm resume={resumeReplayAction} replay={replay} />
          </AfterFreshSignIn>
        )}
        <Results replay={replay} results={results} start={start} onlyFailed={onlyFailed} gone={gone} />
      </div>
      {replay.state === 'running' && <RefreshEvery seconds={1} />}
    </>
  )
}

function Heading({
  replay,
  gone,
}: {
  readonly replay: ReplayView
  /** `gone`: it is no longer known which deliveries failed. */
  readonly gone: boolean
}) {
  const { label, tone, meaning } = replayStateLabels[replay.state]
  return (
    <PageHeader
      title={
        <span className="flex flex-wrap items-center gap-2.5">
          <span className="wrap-anywhere">{destinationLabel(replay.address)}</span>
          <Pill tone={tone}>{label}</Pill>
        </span>
      }
      actions={
        <>
          {replay.failed > 0 && !gone && (
            <ButtonLink href={`/replays/new?failedIn=${replay.id}`}>Send the failed ones again</ButtonLink>
          )}
          {replay.state === 'running' && <StopReplay stop={stopReplayAction} replayId={replay.id} />}
        </>
      }
    >
      {meaning}
    </PageHeader>
  )
}

function Standing({ replay }: { readonly replay: ReplayView }) {
  return (
    <Card title="Progress" className="max-w-[46rem]">
      <ReplayProgress replay={replay} />
      <Facts className="mt-4">
        <Fact name="To">
          {replay.address ? <span className="mono break-all">{replay.address}</span> : 'This dashboard'}
        </Fact>
        <Fact name="What">
          <FilterWords filter={replay.filter} linked />
        </Fact>
        {replay.address && <Fact name="Pace">at most {replay.pace} a second</Fact>}
        <Fact name="Reason">{replay.reason}</Fact>
        <Fact name="Started">
          <Time at={replay.startedAt} style="clock" className="num" /> by {replay.startedBy}
        </Fact>
        <Fact name="Updated">
          <Time at={replay.lastMoveAt} style="clock" className="num" />
        </Fact>
      </Facts>
    </Card>
  )
}

function Results({
  replay,
  results: { rows, next },
  start,
  onlyFailed,
  gone,
}: {
  readonly replay: ReplayView
  readonly results: ResultPageView
  /** The page begins after the result of this number. */
  readonly start: string
  readonly onlyFailed: boolean
  readonly gone: boolean
}) {
  const here = `/replays/${replay.id}`
  const chosen = onlyFailed ? 'failed=1&' : ''
  return (
    <section aria-label="Results">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <Segmented
          name="Which results"
          segments={[
            {
              key: 'all',
              label: 'All',
              count: replay.total.toLocaleString('en'),
              href: here,
              chosen: !onlyFailed,
            },
            {
              key: 'failed',
              label: 'Failed',
              count: replay.failed.toLocaleString('en'),
              href: `${here}?failed=1`,
              chosen: onlyFailed,
            },
          ]}
        />
        {!gone && (
          <ExportButton
            label="Export CSV"
            title="Export the results of this replay?"
            description="A file with each delivery, its type, transaction and result. All admins are told."
            action={allowResultsExportAction}
            fields={{ replayId: replay.id }}
            address={`/api/replays/${replay.id}/results`}
          />
        )}
      </div>
      <Card>
        {rows.length > 0 ? (
          <ResultsTable rows={rows} sent={replay.address !== null} />
        ) : (
          <EmptyState
            title={
              gone
                ? 'Its results are no longer kept'
                : onlyFailed
                  ? 'Nothing failed here'
                  : 'Nothing more here'
            }
          />
        )}
        <PageLinks
          newest={start === '0' ? null : onlyFailed ? `${here}?failed=1` : here}
          older={next && `${here}?${chosen}after=${next}`}
          words={['First', 'More']}
        />
      </Card>
    </section>
  )
}
