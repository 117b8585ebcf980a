'use client'

import { useMedia } from '#components/ui/browser/use-media.ts'

const query = '(hover: none) and (pointer: coarse)'

/** Whether this is used by touch alone, so that wallets are other apps of the same device. False on the server. */
export const useIsPhone = (): boolean => useMedia(query)
