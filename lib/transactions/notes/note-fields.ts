import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { InvalidInput } from '#lib/platform/refusals.ts'
import { readTicket } from '#lib/platform/rules/ticket.ts'
import { readSettings } from '#lib/platform/settings/read-settings.ts'

/** What every form of a note sends. */
export const noteFields = {
  transaction: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[^\0]{1,200}$/, 'This is not the id of a transaction.'),
  text: z
    .string('Write something.')
    .trim()
    .min(1, 'Write something.')
    .max(2_000, 'At most 2,000 characters.')
    .regex(/^[^\0]*$/, 'Only letters and signs that can be printed.'),
  ticket: z.string().trim().max(500, 'At most 500 characters.').optional(),
}

/** The link to keep; null when the field was left empty. Throws `InvalidInput`. */
export async function requireTicketLink(ticket: string | undefined): Promise<string | null> {
  if (!ticket) return null
  const { ticketAddress } = await readSettings()
  const link = readTicket(ticket, ticketAddress)
  if (link !== null) return link
  throw new InvalidInput({
    ticket:
      ticketAddress === null
        ? 'This is no web address with https://.'
        : `This is no ticket of ${ticketAddress}: give its name, or its whole address.`,
  })
}

export const noteSubject = (transaction: string): string =>
  subjectId({ kind: 'transaction', id: transaction })

/** By whom a note is: the member, whose row names nobody any more once they were erased. */
export const authorOf = (caller: Caller): string => caller.memberId ?? caller.id
