import { CircleCheck, Info, OctagonAlert, TriangleAlert } from 'lucide-react'
import type { ComponentType } from 'react'
import { CalloutBox, type CalloutBoxProps } from './shared/callout-box.tsx'

export type CalloutKind = 'info' | 'success' | 'warning' | 'error'

/**
 * The callout holds a message that must be seen: what happened, whether anything was lost, what to do. Errors are
 * announced.
 */
export const Callout = ({ kind = 'info', ...rest }: CalloutBoxProps & { readonly kind?: CalloutKind }) => (
  <CalloutBox {...variants[kind]} isError={kind === 'error'} {...rest} />
)

const variants = {
  info: { tone: 'wait', icon: Info },
  success: { tone: 'done', icon: CircleCheck },
  warning: { tone: 'held', icon: TriangleAlert },
  error: { tone: 'fail', icon: OctagonAlert },
} as const satisfies Record<CalloutKind, { tone: string; icon: ComponentType<{ className?: string }> }>
