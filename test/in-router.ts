import { AppRouterContext } from 'next/dist/shared/lib/app-router-context.shared-runtime.js'
import { createElement, type ReactNode } from 'react'

const nowhere = () => undefined
const router = {
  back: nowhere,
  forward: nowhere,
  refresh: nowhere,
  push: nowhere,
  replace: nowhere,
  prefetch: nowhere,
  bfcacheId: '',
}

/** Drawn below a router of Next that leads nowhere, for markup of what asks for one. */
export const inRouter = (children: ReactNode) => createElement(AppRouterContext, { value: router }, children)
