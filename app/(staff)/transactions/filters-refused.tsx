'use client'

import { Button } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import type { WrongFilter } from '#lib/transactions/rules/read-filters.ts'
import type { FilterTexts } from '#lib/transactions/rules/transaction-filters.ts'

/** A filter of the address is invalid, so this replaces the list. */
export function FiltersRefused({
  wrong,
  onChange,
}: {
  readonly wrong: readonly WrongFilter[]
  readonly onChange: (texts: FilterTexts) => void
}) {
  const without = Object.fromEntries(wrong.map(({ name }) => [name, null]))
  return (
    <Callout
      kind="error"
      title={
        wrong.length === 1
          ? 'A filter in this address is not understood'
          : 'Some filters in this address are not understood'
      }
      actions={
        <Button size="sm" onClick={() => onChange(without)}>
          {wrong.length === 1 ? 'List without it' : 'List without them'}
        </Button>
      }
    >
      <ul>
        {wrong.map(({ name, text, why }) => (
          <li key={name} className="wrap-anywhere">
            <span className="mono">
              {name}={text.slice(0, 60)}
            </span>
            : {why}
          </li>
        ))}
      </ul>
    </Callout>
  )
}
