import { textOf } from './json.ts';

/** Words of others are shown so long at most: they go into answers, topics and the log. */
const LONGEST_WORDS = 300;
/** Names and codes are short. */
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

/** The member as words to show, on one line; undefined where it is no text that says something. */
export const wordsIn = (record: Readonly<Record<string, unknown>>, key: string): string | undefined =>
  oneLine(textOf(record, key) ?? '') || undefined;

/** The member as a code or a name, on one line; undefined where it is no text that says something. */
export const codeIn = (record: Readonly<Record<string, unknown>>, key: string): string | undefined =>
  oneLine(textOf(record, key) ?? '', LONGEST_CODE) || undefined;

/** The text with `…` in place of each secret, as it is and as it is written in JSON, in an address or in a form. */
export const withoutSecrets = (text: string, secrets: readonly (string | null)[]): string =>
  secrets
    .flatMap((secret) =>
      secret
        ? [secret, secret.replaceAll('/', '\\/'), encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)]
        : [],
    )
    .reduce((left, secret) => left.replaceAll(secret, '…'), text);
