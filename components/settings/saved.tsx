import type { ActionState } from '#lib/forms/action-state.ts'

/** Said once the form was saved. */
export const Saved = ({ state }: { readonly state: ActionState<unknown> }) => (
  <span role="status" className="text-done text-sm">
    {state.kind === 'done' ? 'Saved.' : ''}
  </span>
)
