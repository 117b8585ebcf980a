import { JsonView } from '#components/ui/json-view.tsx'
import type { Answered, readCountries } from '#lib/endpoints/service-key/service-state.ts'

type Countries = Awaited<ReturnType<typeof readCountries>>

/**
 * The cards show what the service says of the merchant. One line names what it did not say, because the alerts are
 * at the top of the page.
 */
export function AsServiceGives({
  configuration,
  countries,
}: {
  readonly configuration: Answered<string>
  readonly countries: Countries
}) {
  const refused = [configuration, countries].filter((answer) => answer.kind === 'refused')
  const causes = new Set(refused.map(({ next }) => next))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {configuration.kind === 'answered' && (
        <JsonView text={configuration.value} label="Merchant configuration" />
      )}
      {countries.kind === 'answered' && (
        <div>
          <h3 className="mb-1.5 font-label text-sm">Supported countries</h3>
          <ul className="flex flex-wrap gap-x-3 gap-y-1 text-sm">
            {byName(countries.value).map(({ code, name, individuals }) => (
              <li key={code}>
                {name ?? code}
                {individuals === false && <span className="text-muted"> (companies only)</span>}
              </li>
            ))}
          </ul>
        </div>
      )}
      {refused.length > 0 && (
        <p className="text-muted text-sm">{[...refused.map(({ title }) => title), ...causes].join(' ')}</p>
      )}
    </div>
  )
}

const byName = <T extends { readonly code: string; readonly name: string | null }>(countries: readonly T[]) =>
  countries.toSorted((a, b) => names.compare(a.name ?? a.code, b.name ?? b.code))

const names = new Intl.Collator('en')
