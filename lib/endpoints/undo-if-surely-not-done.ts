import 'server-only'
import { surelyNotDone } from '#lib/service/errors.ts'

/** For `.catch`: if the service surely did nothing, undoes what was written before it was asked. Rethrows. */
export const undoIfSurelyNotDone =
  (undo: () => Promise<unknown>) =>
  async (error: unknown): Promise<never> => {
    if (surelyNotDone(error)) await undo()
    throw error
  }
