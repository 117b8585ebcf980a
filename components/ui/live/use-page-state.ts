'use client'

import { type PageState, weakestState } from '#lib/operations/rules/health.ts'
import { useLive, useLiveStatus } from './live.tsx'

/** The header shows this state of the page. Other parts use it so that they do not contradict the header. */
export const usePageState = (): PageState => weakestState(useLive().state, useLiveStatus()?.health ?? null)
