import { z } from 'zod'
import { listPeopleNeedingAttention } from '#lib/people/list-people-needing-attention.ts'
import { accountFilterFields, companyFilterFields } from '#lib/people/standings/export-standings.ts'
import { listAccounts } from '#lib/people/standings/list-accounts.ts'
import { listCompanies } from '#lib/people/standings/list-companies.ts'
import { answerJson } from '../answer-caller.ts'

const cursor = z.string().max(2_000).optional()

const QuerySchema = z.discriminatedUnion('list', [
  z.object({ ...accountFilterFields, cursor }),
  z.object({ ...companyFilterFields, cursor }),
  z.object({ list: z.literal('people'), cursor }),
])

/** The answer is a page of the accounts, of the companies, or of the people who need attention. */
export const GET = (request: Request) =>
  answerJson(request, QuerySchema, (caller, asked) => {
    if (asked.list === 'people') return listPeopleNeedingAttention(caller, asked)
    const filters = { ...asked, needsAttention: asked.look !== undefined }
    return asked.list === 'accounts' ? listAccounts(caller, filters) : listCompanies(caller, filters)
  })
