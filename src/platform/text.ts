import * as z from 'zod/mini';

/** The maximum length of the platform's words in answers, topics and the log. */
const LONGEST_WORDS = 300;
const LONGEST_CODE = 100;

/** The text on one line without control characters, cut to `longest` characters. */
export const oneLine = (text: string, longest = LONGEST_WORDS): string => {
  // For a text of megabytes, only the beginning needs cleaning.
  const line = text
    .slice(0, 10 * longest)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
};

/** A text member; undefined if it is missing, empty or of another type. */
export const TEXT = z.catch(z.optional(z.string().check(z.minLength(1))), undefined);

const line = (longest: number) =>
  z.catch(
    z.pipe(
      z.string(),
      z.transform((text) => oneLine(text, longest)),
    ),
    '',
  );
/** A member as text to show, on one line; empty if it is no text. */
export const WORDS = line(LONGEST_WORDS);
/** A member as a code or a name, on one line; empty if it is no text. */
export const CODE = line(LONGEST_CODE);

/** An object that the platform sends directly or as the member `data`. */
export const inData = <T>(schema: z.ZodMiniType<T>) =>
  z.union([
    z.pipe(
      z.object({ data: schema }),
      z.transform(({ data }: { data: T }) => data),
    ),
    schema,
  ]);

/** A secret in plain, JSON, URL and form encoding. Equal forms are searched once. */
const formsOf = (secret: string): readonly string[] => [
  ...new Set([secret, secret.replaceAll('/', '\\/'), encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)]),
];

/** Replaces each secret, in each of its forms, with `…`. */
export const withoutSecrets = (text: string, secrets: readonly (string | null)[]): string =>
  secrets.flatMap((secret) => (secret ? formsOf(secret) : [])).reduce((left, form) => left.replaceAll(form, '…'), text);

/** True if the body contains the secret in any form. */
export const hasSecret = (bytes: Buffer, secret: string): boolean => formsOf(secret).some((form) => bytes.includes(form));
