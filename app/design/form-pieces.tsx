'use client'

import { Moon, Sun } from 'lucide-react'
import { useId, useState } from 'react'
import { Field, TextField } from '#components/ui/field.tsx'
import { Checkbox, FileInput, Input, Select, Textarea } from '#components/ui/input.tsx'
import { FilterBar } from '#components/ui/list/filter-bar.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Segmented, SegmentedRadios } from '#components/ui/segmented.tsx'
import type { StaffWords } from '#lib/words/labels/tone.ts'

export const id = '2046967a-3a52-4a51-9a3f-1f2b3c4d1329'

const states = [
  ['active', 'Active'],
  ['disabled', 'Disabled'],
] as const

export const PillsOf = ({
  words,
}: {
  readonly words: Readonly<Record<string, Pick<StaffWords, 'label' | 'tone'>>>
}) =>
  Object.entries(words).map(([state, { label, tone }]) => (
    <Pill key={state} tone={tone}>
      {label}
    </Pill>
  ))

export function SegmentedPiece() {
  const [theme, setTheme] = useState<'light' | 'dark'>('light')
  return (
    <>
      <Segmented
        name="Status"
        segments={[
          { key: 'any', label: 'Any status', count: 3, href: '#main', chosen: true },
          ...states.map(([key, label]) => ({ key, label, count: 1, href: '#main', chosen: false })),
        ]}
      />
      <SegmentedRadios
        legend="Theme"
        value={theme}
        onChange={setTheme}
        className="flex items-center gap-3"
        segments={[
          { value: 'light', label: <Sun aria-hidden />, title: 'Light' },
          { value: 'dark', label: <Moon aria-hidden />, title: 'Dark' },
        ]}
      />
    </>
  )
}

export function FilterBarPiece() {
  const [state, setState] = useState<string | null>('active')
  return (
    <div className="whole">
      <FilterBar
        filters={[
          { name: 'none', label: 'Kind', value: null, choices: states },
          { name: 'state', label: 'Status', value: state, choices: states },
        ]}
        onChange={({ state: chosen = null }) => setState(chosen)}
      />
    </div>
  )
}

export function FieldsPiece() {
  const name = useId()
  return (
    <div className="whole grid gap-4">
      <TextField label="Empty" placeholder="https://" hint="What to enter, and why." aside="0 of 255" />
      <TextField label="Filled" defaultValue="Ledger backend" />
      <TextField
        label="Wrong"
        defaultValue="ftp://"
        error="This is no address of the web. Begin with https://."
      />
      <TextField label="Not to be changed" defaultValue={id} mono readOnly />
      <TextField label="Not now" defaultValue="Later" disabled />
      <Input aria-label="Without a label of its own" placeholder="Find people" />
      <Field label="Choice">
        {(control) => (
          <Select {...control}>
            <option>Every type</option>
          </Select>
        )}
      </Field>
      <Field label="Reason" error="Enter a reason.">
        {(control) => <Textarea {...control} />}
      </Field>
      <Field label="CSV file">{(control) => <FileInput {...control} />}</Field>
      <Checkbox name={name} label="Ticked" hint="What ticking it means." defaultChecked />
      <Checkbox name={name} label="Not ticked" />
      <Checkbox name={name} label="Not now" disabled />
    </div>
  )
}
