'use client'

import { Monitor, Moon, Sun } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { type Theme, themeCookie } from '../theme.ts'
import { chooseZone, localZone } from '../ui/clock.ts'
import { keepCookie } from '../ui/keep-cookie.ts'
import { useZone } from '../ui/time-zone.tsx'
import { useWords } from '../words.tsx'

/** Light, dark or as the device; times as here or in UTC. Takes effect at once and is kept in this browser. */
export function AppearanceChoices({ theme }: { readonly theme: Theme }) {
  const [chosen, setChosen] = useState(theme)
  const zone = useZone()
  const words = useWords()
  return (
    <div className="grid gap-2.5 border-t px-2 pt-2.5 pb-1.5 -mx-1.5 [&>fieldset]:mx-1.5">
      <Choice
        legend={words('ui.appearance.theme')}
        value={chosen}
        onChange={(next) => {
          setChosen(next)
          document.documentElement.dataset.theme = next
          keepCookie(themeCookie, next)
        }}
        choices={[
          ['system', <Monitor key="icon" aria-hidden />, words('ui.appearance.system')],
          ['light', <Sun key="icon" aria-hidden />, words('ui.appearance.light')],
          ['dark', <Moon key="icon" aria-hidden />, words('ui.appearance.dark')],
        ]}
      />
      <Choice
        legend={words('ui.appearance.times')}
        value={zone === 'UTC' ? 'utc' : 'local'}
        onChange={(next) => chooseZone(next === 'utc' ? 'UTC' : localZone())}
        choices={[
          ['local', null, words('ui.appearance.local')],
          ['utc', null, words('ui.appearance.utc')],
        ]}
      />
    </div>
  )
}

function Choice<T extends string>({
  legend,
  value,
  onChange,
  choices,
}: {
  readonly legend: string
  readonly value: T
  readonly onChange: (value: T) => void
  readonly choices: readonly (readonly [value: T, icon: ReactNode, label: string])[]
}) {
  const name = useId()
  return (
    <fieldset className="flex items-center justify-between gap-3">
      <legend className="float-left text-muted">{legend}</legend>
      <span className="flex rounded-lg border p-0.5">
        {choices.map(([choice, icon, label]) => (
          <label
            key={choice}
            title={label}
            className="grid h-6 min-w-8 place-items-center rounded-md px-1.5 text-muted text-xs has-checked:bg-hover has-checked:font-strong has-checked:text-text has-checked:shadow-[0_0_0_1px_var(--line-control)] has-focus-visible:outline-2 has-focus-visible:outline-focus [&_svg]:size-3.5"
          >
            <input
              type="radio"
              name={name}
              value={choice}
              checked={choice === value}
              onChange={() => onChange(choice)}
              className="sr-only"
            />
            {icon ?? label}
            {icon && <span className="sr-only">{label}</span>}
          </label>
        ))}
      </span>
    </fieldset>
  )
}
