import 'server-only'

/** Where a call comes from, as the audit keeps it. */
export interface CallSource {
  readonly ip: string | null
  readonly userAgent: string | null
}

/** Where a browser's request comes from. */
export interface RequestContext extends CallSource {
  /** The random id of this browser's own cookie; null when it has none. */
  readonly browserId: string | null
}

/** In a server action the browser always has an id: it is given one. */
export interface ActionContext extends RequestContext {
  readonly browserId: string
}

/** For what this server does by itself. */
export const noCallSource: CallSource = { ip: null, userAgent: null }
