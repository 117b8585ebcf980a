/** What a colour means, and it means nothing else: each comes with its own icon and a word beside it. */
export const tones = ['waiting', 'moving', 'held', 'done', 'failed', 'returned'] as const
export type Tone = (typeof tones)[number]
