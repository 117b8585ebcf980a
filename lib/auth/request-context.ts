import 'server-only'

/** Where a call comes from. */
export interface RequestContext {
  readonly ip: string | null
  readonly userAgent: string | null
  /** The random id of this browser's own cookie; null when it has none. */
  readonly browserId: string | null
}
