/** What is wrong with the audit chain, and where. Positions are counted from 1. */
export type ChainFault =
  /** The entry does not say what it said when it was linked. */
  | { readonly kind: 'entry-changed'; readonly position: bigint; readonly entryId: string }
  /** The entry's reason is gone, and no entry says that it was removed. */
  | { readonly kind: 'reason-removed'; readonly position: bigint; readonly entryId: string }
  /** The link stands, the entry is gone, and it was not to go yet. */
  | { readonly kind: 'entry-deleted'; readonly position: bigint; readonly entryId: string }
  /** The entry says a time that is earlier than one before it by more than a transaction may last, or is yet to come. */
  | { readonly kind: 'time-wrong'; readonly position: bigint; readonly entryId: string; readonly at: string }
  /** The entry was written past the trigger that links it. */
  | { readonly kind: 'entry-not-linked'; readonly entryId: string }
  /** The link is not what its own digest says, or does not follow from the one before. */
  | { readonly kind: 'link-changed'; readonly position: bigint; readonly entryId: string }
  /** Links are missing between two others, or at the beginning. */
  | { readonly kind: 'links-missing'; readonly from: bigint; readonly to: bigint }
  /** A head that was given away at `headAt` names a later position than the last. */
  | { readonly kind: 'end-cut'; readonly from: bigint; readonly to: bigint; readonly headAt: string }
  /** A head that was given away names another digest at this position: the chain was written anew. */
  | { readonly kind: 'head-differs'; readonly position: bigint; readonly headAt: string }

/** A backup that was restored, as an entry says: what was given away of the entries after it explains itself. */
export interface ChainRestore {
  /** The position of the entry that says so. */
  readonly position: bigint
  /** When that was written, ISO 8601. */
  readonly at: string
  /** The last position that the backup had. */
  readonly kept: bigint
  /** How many heads name entries after it that are not here, and the last position among them; null for none. */
  readonly heads: number
  readonly latest: bigint | null
}
