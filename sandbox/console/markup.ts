import type { HtmlEscapedString } from 'hono/utils/html'

/** A piece of a page, escaped. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>
