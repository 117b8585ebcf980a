'use client'

import { Monitor, Moon, Sun } from 'lucide-react'
import { chooseTheme, useTheme } from '#components/ui/browser/chosen-theme.ts'
import type { Theme } from '#components/ui/browser/theme.ts'
import { useWords } from '#components/ui/browser/words.tsx'
import { chooseTimes } from '#components/ui/clock.ts'
import { SegmentedRadios } from '#components/ui/segmented.tsx'
import { useChosenTimes } from '#components/ui/time.tsx'

/**
 * The reader chooses light, dark or the device's theme, and local times or UTC. A choice takes effect at once and
 * is kept in this browser.
 */
export function AppearanceChoices({ theme }: { readonly theme: Theme }) {
  const chosen = useTheme(theme)
  const times = useChosenTimes()
  const words = useWords()
  return (
    <div className="grid gap-2.5 border-t px-2 pt-2.5 pb-1.5 -mx-1.5 [&>fieldset]:mx-1.5">
      <SegmentedRadios
        className={rowClass}
        legend={words('ui.appearance.theme')}
        value={chosen}
        onChange={chooseTheme}
        segments={[
          { value: 'system', label: <Monitor aria-hidden />, title: words('ui.appearance.system') },
          { value: 'light', label: <Sun aria-hidden />, title: words('ui.appearance.light') },
          { value: 'dark', label: <Moon aria-hidden />, title: words('ui.appearance.dark') },
        ]}
      />
      <SegmentedRadios
        className={rowClass}
        legend={words('ui.appearance.times')}
        value={times}
        onChange={chooseTimes}
        segments={[
          { value: 'local', label: words('ui.appearance.local') },
          { value: 'utc', label: words('ui.appearance.utc') },
        ]}
      />
    </div>
  )
}

const rowClass = 'flex flex-wrap items-center justify-between gap-x-3 gap-y-1'
