'use client'

import { type PageState, weakestState } from '#lib/operations/rules/health.ts'
import { useLive, useLiveStatus } from './live.tsx'

/** What the header says of this page, for whatever must not contradict it. */
export const usePageState = (): PageState => weakestState(useLive().state, useLiveStatus()?.health ?? null)
