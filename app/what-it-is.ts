/** In one sentence, for search engines and link previews. */
export const whatItIs = 'The merchant’s own dashboard: paste a transaction and know what happened.'
