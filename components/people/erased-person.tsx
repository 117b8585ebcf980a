import { Eraser } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import type { ErasureView } from '#lib/people/erasure/find-erasure.ts'

/** An erased person or company has this page: the proof that it happened, and no data of theirs. */
export function ErasedPerson({ erasure }: { readonly erasure: ErasureView }) {
  const { id, isCompany, beganAt, finishedAt, subjects, deliveries } = erasure
  return (
    <>
      <PageHeader
        title={
          <span className="flex flex-wrap items-center gap-2.5">
            <Eraser className="size-5 text-muted" aria-hidden />
            This {isCompany ? 'company' : 'person'} was erased
            {finishedAt ? <Pill tone="done">Done</Pill> : <Pill tone="move">Under way</Pill>}
          </span>
        }
        actions={
          isCompany ? (
            <ButtonLink href="/companies">All companies</ButtonLink>
          ) : (
            <ButtonLink href="/users">All people</ButtonLink>
          )
        }
      >
        {isCompany
          ? 'What comes about it later is kept without its data. Amounts of its transactions stay.'
          : 'What comes about them later is kept without their data. Amounts of their transactions stay.'}
      </PageHeader>
      <Card title="What is kept as proof" className="mt-5 max-w-[46rem]">
        <Facts>
          <Fact name="Mark">
            <span className="mono break-all">{id}</span>
          </Fact>
          <Fact name="Begun">
            <Time at={beganAt} style="exact" className="num" />
          </Fact>
          <Fact name="Done">
            {finishedAt ? (
              <Time at={finishedAt} style="exact" className="num" />
            ) : (
              'Not yet: everything is gone through'
            )}
          </Fact>
          <Fact name="Overwritten">
            {deliveries.toLocaleString('en')} deliveries of {subjects.toLocaleString('en')} subjects
          </Fact>
        </Facts>
      </Card>
      {!finishedAt && <RefreshEvery seconds={1} />}
    </>
  )
}
