import 'server-only'

/** A note as the caller may see it. Times are ISO 8601. */
export interface NoteView {
  readonly id: string
  /** Null for roles that read no free text; so is the ticket. */
  readonly text: string | null
  /** The address of a ticket, and how it reads. */
  readonly ticket: string | null
  readonly ticketName: string | null
  /** The name of whoever wrote it. */
  readonly by: string
  readonly writtenAt: string
  readonly changedAt: string | null
  readonly mayChange: boolean
  readonly mayRemove: boolean
}
