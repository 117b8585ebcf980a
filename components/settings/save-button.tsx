import { ActionOutcome } from '../form/action-outcome.tsx'
import { DraftLine } from '../form/draft-line.tsx'
import type { FormAction } from '../form/use-form-action.ts'
import { Button } from '../ui/button.tsx'

/** The end of a form of the page Settings: what came of it, the button, and that it was saved. */
export const SaveButton = ({
  state,
  pending,
  draft,
}: Pick<FormAction<unknown>, 'state' | 'pending' | 'draft'>) => (
  <>
    <ActionOutcome state={state} />
    <div className="flex items-center gap-3">
      <Button type="submit" variant="primary" pending={pending}>
        Save
      </Button>
      <span role="status" className="text-done text-sm">
        {state.kind === 'done' ? 'Saved.' : ''}
      </span>
      <DraftLine draft={draft} />
    </div>
  </>
)
