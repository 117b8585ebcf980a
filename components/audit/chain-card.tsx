'use client'

import { useRouter } from 'next/navigation'
import { Button } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { Time } from '#components/ui/time.tsx'
import type { ChainCheck, ChainState } from '#lib/audit/check-chain.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

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
    done: 'The chain was verified just now.',
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
        <Callout title="The chain was not verified yet." actions={button}>
          It is verified once a day, the first time a minute after a start.
        </Callout>
      ) : check.faultCount === 0 ? (
        <Callout
          // Newer entries are not checked yet, so the tone is neither good nor bad.
          kind={othersSince === 0 ? 'success' : 'info'}
          title={
            <>
              Nothing was changed, removed or put in: {looked(check.links, since)} checked{' '}
              <Time at={check.at} />.
            </>
          }
          actions={button}
        >
          {came(since)} Whether its end was cut off, only{' '}
          <span className="mono">npm run rampart audit verify</span> can say, by the heads in your logs.
          {check.older > 0 &&
            ` Not protected by the chain: the ${check.older.toLocaleString('en')} entries that are older than it.`}
          {check.reasonsRemoved > 0 &&
            ` Removed with the data of people who were erased: the reasons of ${check.reasonsRemoved.toLocaleString('en')} entries.`}
        </Callout>
      ) : (
        <Callout
          kind="error"
          title={`The audit was changed past Rampart: ${check.faultCount.toLocaleString('en')} ${check.faultCount === 1 ? 'fault' : 'faults'}.`}
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
            Found <Time at={check.at} />, when {looked(check.links, since)} checked. {came(since)} Find out
            who had the password of the tables’ owner, and compare with a backup.
          </p>
        </Callout>
      )}
      {!isProtected && (
        <Callout kind="warning" title="The audit is not protected.">
          The database role of the application could change it. Give DATABASE_MIGRATE_URL a role of its own,
          which owns the tables.
        </Callout>
      )}
      <ActionOutcome state={state} />
    </div>
  )
}

const looked = (links: number, since: number): string => {
  const checked = links.toLocaleString('en')
  if (since > 0) return `the first ${checked} of ${(links + since).toLocaleString('en')} entries were`
  return links === 1 ? 'the only entry was' : `all ${checked} entries were`
}

const came = (since: number): string =>
  since === 0
    ? 'No entry came since.'
    : `${since === 1 ? '1 entry' : `${since.toLocaleString('en')} entries`} came since, which the next check covers.`
