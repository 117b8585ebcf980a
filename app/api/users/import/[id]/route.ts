import { readRequestContext } from '#lib/auth/read-request-context.ts'
import { exportImport } from '#lib/user-import/export-import.ts'
import { answerCsv } from '../../../answer-file.ts'

interface Context {
  readonly params: Promise<{ readonly id: string }>
}

/** What became of each line of an import, as CSV. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { id } = await params
  return answerCsv(request, `import-${id}.csv`, async (caller) =>
    exportImport(caller, id, await readRequestContext()),
  )
}
