import type { ShownMistake } from '../../api/answers.ts';
import { shownAccounts } from '../../config/editing/settingsList.ts';
import { type Change, type Plan, planChange, type Written } from '../../config/editing/settingsStore.ts';
import type { Sources } from '../../config/load.ts';
import { LEAVES } from '../../config/schema.ts';
import type { Settings } from '../../config/settings.ts';
import { eachAddress } from '../../config/validation/brokerAddresses.ts';
import { keyText, type Mistake, sentenceOf } from '../../config/validation/mistake.ts';
import { SHORTEST_PASSWORD } from '../../config/validation/webChecks.ts';
import { isRecord } from '../../shared/json.ts';
import { refused, type WebAnswer } from '../routes.ts';
import { hashPassword, isHashed } from '../security/password.ts';

const PASSWORD = 'web.password';
const HIDDEN = '********';

/** Changes by setting key. */
export type Changes = Readonly<Record<string, Written>>;

/** Deeper than any setting; functions on values recurse for each level. */
const DEEPEST = 8;

/** True for JSON that is not deeper than the settings. */
const isWritten = (value: unknown, depth = 0): value is Written =>
  value !== undefined &&
  (typeof value !== 'object' || value === null || (depth < DEEPEST && Object.values(value).every((one) => isWritten(one, depth + 1))));

/** The changes in a request body; undefined if there are none. Unknown keys stay, to be rejected by name. */
export const changesIn = (body: unknown): Changes | undefined => {
  const changes = isRecord(body) ? body.changes : undefined;
  if (!isRecord(changes)) return undefined;
  const known = Object.entries(changes).flatMap(([key, value]) => (isWritten(value) ? [[key, value] as const] : []));
  return known.length < Object.keys(changes).length ? undefined : Object.fromEntries(known);
};

export const NO_CHANGES = refused(422, 'invalid', 'changes must be an object with settings and their values.');

export const shownMistakes = (mistakes: readonly Mistake[]): readonly ShownMistake[] =>
  mistakes.map((mistake) => {
    const { path, rule, place, nearest, allowed, issue } = mistake;
    return { path: keyText(path), rule, message: sentenceOf(mistake), where: place, nearest, allowed, issue };
  });

/** A mistake that is not in a file. */
export const mistakeOf = (path: string, rule: string, message: string): ShownMistake => ({ path, rule, message, where: '' });

/** The answer to changes with mistakes. */
export const withMistakes = (mistakes: readonly ShownMistake[]): WebAnswer => ({
  status: 422,
  json: { error: 'mistakes', message: mistakes.map(({ path, message }) => `${path} ${message}`).join('. '), mistakes },
});

/** Mistake: the page password is too short, checked before it is hashed. */
export const shortPassword = (changes: Changes): readonly ShownMistake[] => {
  const password = changes[PASSWORD];
  if (typeof password !== 'string' || password.length >= SHORTEST_PASSWORD) return [];
  return [mistakeOf(PASSWORD, 'short', `has fewer than ${SHORTEST_PASSWORD} characters`)];
};

export const PASSWORD_NEEDED = [mistakeOf(PASSWORD, 'required', 'is missing: other people could open this page')];

/** The page password is stored hashed, so the file has no readable form of it. */
export const withHashedPassword = async (changes: Changes): Promise<Changes> => {
  const password = changes[PASSWORD];
  return typeof password === 'string' && !isHashed(password) ? { ...changes, [PASSWORD]: await hashPassword(password) } : changes;
};

const order = new Map(LEAVES.map(({ key }, i) => [key, i]));

/** The settings of a set-up so far, in memory: checked as they arrive, and written together at its end. */
export class Draft {
  readonly #sources: Sources;
  #changes: Changes = {};

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** The result of writing these changes too, all in the order of the table. Throws SettingsStoreError. */
  plan(more: Changes = {}): Plan {
    const all = Object.entries({ ...this.#changes, ...more });
    const sorted = all.toSorted(([a], [b]) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    return planChange(
      this.#sources,
      sorted.map(([key, value]): Change => ({ path: key.split('.'), value })),
    );
  }

  /** Adds changes. */
  take(changes: Changes): void {
    this.#changes = { ...this.#changes, ...changes };
  }

  clear(): void {
    this.#changes = {};
  }

  /** The file to be written, without its secrets. */
  preview(): string {
    const { text, read } = this.plan();
    const held = LEAVES.filter((leaf) => read.originOf(leaf).kind === 'page');
    const hidden = held.flatMap(({ key, setting }) => (setting.sensitive ? [[key, HIDDEN] as const] : []));
    const url = eachAddress(read.loaded.mqtt.url, (one) => one.replace(/^([^/]*\/\/[^/@]*?)(?::[^/@]*)?@/, `$1:${HIDDEN}@`));
    const shown = url !== read.loaded.mqtt.url && held.some(({ key }) => key === 'mqtt.url') ? [['mqtt.url', url] as const] : [];
    const rows = held.some(({ key }) => key === 'accounts') ? [['accounts', shownAccounts(read.loaded.accounts) as Written] as const] : [];
    if (hidden.length + shown.length + rows.length === 0) return text ?? '';
    return this.plan(Object.fromEntries([...hidden, ...shown, ...rows])).text ?? '';
  }
}

/** The settings of a plan, if only settings outside these sections are missing; else the mistakes. */
export const settingsOf = (plan: Plan, sections: readonly string[]): Settings | readonly ShownMistake[] => {
  const matters = plan.mistakes.filter(({ rule, path }) => rule !== 'required' || sections.includes(String(path[0])));
  return matters.length > 0 ? shownMistakes(matters) : (plan.read.settingsSoFar ?? []);
};
