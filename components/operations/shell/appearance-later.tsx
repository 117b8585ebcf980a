'use client'

import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { useLater } from '#components/ui/browser/loaded-later.ts'
import type { AppearanceChoices } from './appearance-choices.tsx'

/** `AppearanceChoices` loads when somebody is about to open its popover. */
export function AppearanceLater(props: ComponentProps<typeof AppearanceChoices>) {
  const place = useRef<HTMLDivElement>(null)
  const [wanted, setWanted] = useState(false)
  const Choices = useLater(load, wanted)
  useEffect(() => {
    const menu = place.current?.closest('[popover]')
    const opener = menu && document.querySelector(`[popovertarget="${menu.id}"]`)
    const controller = new AbortController()
    const { signal } = controller
    const want = () => setWanted(true)
    // The popover opens without our scripts, too.
    if (menu?.matches(':popover-open') || document.activeElement === opener) want()
    opener?.addEventListener('pointerenter', want, { signal })
    opener?.addEventListener('focus', want, { signal })
    menu?.addEventListener('beforetoggle', want, { signal })
    return () => controller.abort()
  }, [])
  // The place is as high as the two lines of choices, so that the content below does not move when they load.
  return (
    <div ref={place} className="min-h-22.5 pointer-coarse:min-h-28.5">
      {Choices && <Choices {...props} />}
    </div>
  )
}

const load = async () => (await import('./appearance-choices.tsx')).AppearanceChoices
