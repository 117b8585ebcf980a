import { AccountNumber } from '#components/ui/reveal/account-number.tsx'
import { PersonLink } from '#components/ui/search/person-link.tsx'
import { SearchableId } from '#components/ui/search/searchable-id.tsx'
import { ExplorerLink } from '#components/ui/shared/explorer-link.tsx'
import { StatedAmount } from '#components/ui/shared/stated-amount.tsx'
import { Time } from '#components/ui/time.tsx'
import { type EventFact, factsOf } from '#lib/timeline/labels/event-facts.ts'
import { chainLabel } from '#lib/transactions/labels/chain-label.ts'
import { countryName } from '#lib/words/labels/country-name.ts'

/** What an event says beside its state, as far as the reader's role gets it. */
export function EventFacts({
  event,
}: {
  readonly event: { readonly type: string | null; readonly body: string | null }
}) {
  const facts = factsOf(event)
  if (facts.length === 0) return null
  return (
    <dl className="mt-1 flex flex-wrap items-baseline gap-x-4 gap-y-1 text-table">
      {facts.map((fact) => (
        <div key={fact.path} className="flex min-w-0 max-w-full flex-wrap items-baseline gap-x-1.5">
          <dt className="text-muted">{fact.name}</dt>
          <dd className="min-w-0 break-words">
            <Value fact={fact} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ fact: { kind, value, currency, chain } }: { readonly fact: EventFact }) {
  switch (kind) {
    case 'amount':
      return <StatedAmount value={value} currency={currency} />
    case 'number':
      return <StatedAmount value={value} currency={null} />
    case 'time':
      return <Time at={value} style="exact" className="num" />
    case 'country':
      return countryName(value)
    case 'account-number':
      return <AccountNumber number={value} reveal={null} />
    case 'wallet':
      return <ExplorerLink kind="address" value={value} chain={chain} />
    case 'hash':
      return <ExplorerLink kind="tx" value={value} chain={chain} />
    case 'chain':
      return chainLabel(value)
    case 'id':
      return <SearchableId id={value} />
    case 'person':
      return <PersonLink userUuid={value} />
    case 'text':
      return value
  }
}
