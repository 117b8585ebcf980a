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

/** The markup is rendered below a Next router that leads nowhere, because its components need one. */
export const inRouter = (children: ReactNode) => createElement(AppRouterContext, { value: router }, children)
