'use client'

import { useRouter } from 'next/navigation'
import { Button } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { Time } from '#components/ui/time.tsx'
import type { ChainCheck, ChainState } from '#lib/audit/check-chain.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { counted } from '#lib/words/labels/formats.ts'

/** The card shows whether the audit is unchanged, and a button checks it again. */
export function ChainCard({
  state: { check, since, othersSince, isProtected },
  verify,
}: {
  readonly state: ChainState
  readonly verify: Action<ChainCheck>
}) {
  const router = useRouter()
  const { state, pending, form } = useFormAction(verify, () => router.refresh(), {
    done: 'Verified just now.',
  })
  const button = (
    <form {...form}>
      <Button type="submit" size="sm" pending={pending}>
        Verify now
      </Button>
    </form>
  )
  return (
    <div className="grid gap-3">
      {check === null ? (
        <Callout title="The audit log was not verified yet." actions={button}>
          It is verified once a day, first a minute after a start.
        </Callout>
      ) : check.faultCount === 0 ? (
        <Callout
          // Newer entries are not checked yet, so the tone is neither good nor bad.
          kind={othersSince === 0 ? 'success' : 'info'}
          title={
            <>
              Audit log intact ({checkedText(check.links, since)} verified <Time at={check.at} />
              ).
            </>
          }
          actions={button}
        >
          {came(since)} To check for truncation, run{' '}
          <span className="mono">npm run rampart audit verify</span>.
          {check.older > 0 &&
            ` The chain does not protect the ${counted(check.older, 'entry', 'entries')} older than it.`}
          {check.reasonsRemoved > 0 &&
            ` The reasons of ${counted(check.reasonsRemoved, 'entry', 'entries')} were erased with people’s data.`}
        </Callout>
      ) : (
        <Callout
          kind="error"
          title={`The audit log was changed outside Rampart: ${check.faultCount.toLocaleString('en')} ${check.faultCount === 1 ? 'fault' : 'faults'}.`}
          actions={button}
        >
          <ul className="list-inside list-disc">
            {check.faults.map((fault) => (
              <li key={fault} className="[overflow-wrap:anywhere]">
                {fault}
              </li>
            ))}
          </ul>
          <p className="mt-1">
            Found <Time at={check.at} /> ({checkedText(check.links, since)} verified). {came(since)} Find out
            who had the password of the tables’ owner. Compare with a backup.
          </p>
        </Callout>
      )}
      {!isProtected && (
        <Callout kind="warning" title="The audit log is not protected.">
          The application’s database role could change it. Give DATABASE_MIGRATE_URL a role of its own that
          owns the tables.
        </Callout>
      )}
      <ActionOutcome state={state} />
    </div>
  )
}

const checkedText = (links: number, since: number): string => {
  const checked = links.toLocaleString('en')
  if (since > 0) return `first ${checked} of ${(links + since).toLocaleString('en')} entries`
  return links === 1 ? '1 entry' : `${checked} entries`
}

const came = (since: number): string =>
  since === 0
    ? 'No new entries since.'
    : `${since === 1 ? '1 new entry' : `${since.toLocaleString('en')} new entries`} since; the next check covers them.`
