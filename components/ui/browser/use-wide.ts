'use client'

import { useMedia } from './use-media.ts'

/** Where a list stands beside what it opened: 1800 px at the usual size of text. CSS says the same by `min-[112.5rem]:`. */
const query = '(min-width: 112.5rem)'

/** Whether the window is as wide; false until the page has its scripts. */
export const useWide = (): boolean => useMedia(query)
