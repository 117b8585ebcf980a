'use client'

import { useZone } from '#components/ui/time-zone.tsx'

/** Entries have the times at which something was done here, not those of receipt that `TimesNote` speaks of. */
export const ZoneNote = () => `Times are in ${useZone().replaceAll('_', ' ')}.`
