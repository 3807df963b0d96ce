/** The languages of the texts in the browser. */
export const LANGUAGES = ['en', 'de'] as const;

export type Language = (typeof LANGUAGES)[number];

/** A count with its noun. */
export const plural = (count: unknown, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
