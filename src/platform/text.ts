import * as z from 'zod/mini';

/** Characters at most of words that the platform sends, which go into answers, topics and the log. */
const LONGEST_WORDS = 300;
const LONGEST_CODE = 100;

/** The text on one line without control characters, cut after so many characters. */
export const oneLine = (text: string, longest = LONGEST_WORDS): string => {
  // Of a text of megabytes its beginning is enough to clean.
  const line = text
    .slice(0, 10 * longest)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
};

/** A member that is a text; undefined where it is missing, empty or something else. */
export const TEXT = z.catch(z.optional(z.string().check(z.minLength(1))), undefined);

const line = (longest: number) =>
  z.catch(
    z.pipe(
      z.string(),
      z.transform((text) => oneLine(text, longest)),
    ),
    '',
  );
/** A member as words to show, on one line; empty where it is no text. */
export const WORDS = line(LONGEST_WORDS);
/** A member as a code or a name, on one line; empty where it is no text. */
export const CODE = line(LONGEST_CODE);

/** An object that the platform sends as it is, or as the member `data` of another. */
export const inData = <T>(schema: z.ZodMiniType<T>) =>
  z.union([
    z.pipe(
      z.object({ data: schema }),
      z.transform(({ data }: { data: T }) => data),
    ),
    schema,
  ]);

/** A secret as it is, and as it is written in JSON, in an address or in a form: mostly the same, which is looked for once. */
const formsOf = (secret: string): readonly string[] => [
  ...new Set([secret, secret.replaceAll('/', '\\/'), encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)]),
];

/** The text with `…` in place of each secret, in each of its forms. */
export const withoutSecrets = (text: string, secrets: readonly (string | null)[]): string =>
  secrets.flatMap((secret) => (secret ? formsOf(secret) : [])).reduce((left, form) => left.replaceAll(form, '…'), text);

/** True for a body that has the secret, in any of its forms. */
export const hasSecret = (bytes: Buffer, secret: string): boolean => formsOf(secret).some((form) => bytes.includes(form));
