'use client'

import { useRouter } from 'next/navigation'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { openPage } from '#components/ui/form/leave-guard.ts'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { ButtonLink } from '#components/ui/link.tsx'
import { FilterSelect } from '#components/ui/list/filter-bar.tsx'
import { useZone } from '#components/ui/time.tsx'
import type { AuditFilters } from '#lib/audit/list-audit.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { auditGroups, auditOutcomeLabels } from './audit-labels.ts'

/**
 * The filters of the list are in the page's address, so that somebody else can open it. They are ids, since a typed
 * text may be an e-mail address.
 */
export function AuditFilterForm({
  filters,
  whoName,
  resolve,
}: {
  readonly filters: AuditFilters
  /** The member that the filter names has this name. */
  readonly whoName: string | null
  readonly resolve: Action<Readonly<Record<string, string>>>
}) {
  const router = useRouter()
  const { state, pending, errorOf, draft, form } = useFormAction(
    resolve,
    (named) => {
      const list = `/audit?${new URLSearchParams(named)}`
      openPage(list, () => router.push(list))
    },
    { draft: 'filters' },
  )
  const { who, about, action, outcome, from, until } = filters
  return (
    <form
      {...form}
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-3 print:hidden @min-[18rem]/main:grid-cols-2 @2xl/main:grid-cols-3 @min-[52rem]/main:grid-cols-4 @min-[84rem]/main:grid-cols-[1.4fr_1.4fr_1.2fr_1fr_auto_auto_auto]"
    >
      <TextField
        label="Who"
        name="who"
        defaultValue={whoName ?? who}
        placeholder="Name or ID"
        autoComplete="off"
        error={errorOf('who')}
      />
      <TextField
        label="About"
        name="about"
        defaultValue={about}
        placeholder="Exact ID"
        autoComplete="off"
        error={errorOf('about')}
      />
      <FilterSelect
        filter={{
          name: 'action',
          label: 'What',
          none: 'Everything',
          value: action ?? null,
          choices: auditGroups.map(({ value, label }) => [value, label]),
        }}
      />
      <FilterSelect
        filter={{
          name: 'outcome',
          label: 'Outcome',
          value: outcome ?? null,
          choices: Object.entries(auditOutcomeLabels).map(([value, { label }]) => [value, label]),
        }}
      />
      <TextField label="From (UTC)" type="date" name="from" defaultValue={from} />
      <TextField label="Until (UTC)" type="date" name="until" defaultValue={until} />
      <div className="col-span-full flex flex-wrap gap-2 @min-[52rem]/main:col-span-2 @min-[52rem]/main:mt-6.5 @min-[84rem]/main:col-span-1">
        <Button type="submit" size="lg" variant="primary" pending={pending}>
          Show
        </Button>
        <ButtonLink href="/audit" size="lg">
          Clear the filters
        </ButtonLink>
      </div>
      <div className="col-span-full empty:hidden">
        <DraftLine draft={draft} />
        <ActionOutcome state={state} />
      </div>
    </form>
  )
}

/** Entries have the times when something was done here, not the times of receipt that `TimesNote` speaks of. */
export const ZoneNote = () => `Times are in ${useZone().replaceAll('_', ' ')}.`
