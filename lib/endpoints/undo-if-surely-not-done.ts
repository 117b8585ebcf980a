import 'server-only'
import { surelyNotDone } from '#lib/service/errors.ts'

/** For `.catch`: takes back what was written before the service was asked, when it surely did nothing. Rethrows. */
export const undoIfSurelyNotDone =
  (undo: () => Promise<unknown>) =>
  async (error: unknown): Promise<never> => {
    if (surelyNotDone(error)) await undo()
    throw error
  }
