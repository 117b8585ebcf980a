import type { AuditFilters } from '#lib/audit/list-audit.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Select } from '../ui/select.tsx'
import { auditGroups, auditOutcomeLabels } from './audit-labels.ts'

/** What the list shows. It is sent as the page's address, so that it can be given to somebody else. */
export function AuditFilterForm({ filters }: { readonly filters: AuditFilters }) {
  const { who, about, action, outcome, from, until } = filters
  const known = auditGroups.some(({ value }) => value === (action ?? ''))
  return (
    <form
      action="/audit"
      className="grid grid-cols-2 items-end gap-3 md:grid-cols-3 xl:grid-cols-[1.4fr_1.4fr_1.2fr_1fr_auto_auto_auto]"
    >
      <TextField label="Who" name="who" defaultValue={who} placeholder="a name or an id" autoComplete="off" />
      <TextField
        label="About"
        name="about"
        defaultValue={about}
        placeholder="a whole id"
        autoComplete="off"
      />
      <Field label="What">
        {(control) => (
          <Select {...control} name="action" defaultValue={action ?? ''}>
            {auditGroups.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
            {!known && <option value={action}>{action}</option>}
          </Select>
        )}
      </Field>
      <Field label="Outcome">
        {(control) => (
          <Select {...control} name="outcome" defaultValue={outcome ?? ''}>
            <option value="">Any</option>
            {Object.entries(auditOutcomeLabels).map(([value, { label }]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="From">
        {(control) => <Input {...control} type="date" name="from" defaultValue={from} />}
      </Field>
      <Field label="Until">
        {(control) => <Input {...control} type="date" name="until" defaultValue={until} />}
      </Field>
      <div className="col-span-full flex gap-2 xl:col-span-1">
        <Button type="submit" size="lg" variant="primary">
          Show
        </Button>
        <ButtonLink href="/audit" size="lg">
          Everything
        </ButtonLink>
      </div>
    </form>
  )
}
