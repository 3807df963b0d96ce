import type { RuleSentence } from '../rules.ts';
import { germanRule, kinds, possible, quoted } from '../rulesDe.ts';

/** German words for lists and objects in the output of `shown`. */
const SHAPES: Readonly<Record<string, string>> = { 'a list': 'Eine Liste', 'an object': 'Ein Objekt' };

/** Suggestions, if they are text. */
const meant = (nearest: readonly unknown[] = []): string | undefined =>
  nearest.length > 0 && nearest.every((one) => typeof one === 'string') ? nearest.map((one) => `„${one}“`).join(' oder ') : undefined;

/** The name at the end of a rule's path: `shift` for `/value/shift`. A place in a text has none. */
const nameAt = (path = ''): string | undefined => /^\/(?:.*\/)?([^/ ]+)$/u.exec(path)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');

const told = (got: unknown): string => SHAPES[String(got)] ?? (got === null ? '„null“' : quoted(got));

/** Rules with more text than on the page, which shows the place and offers valid values as buttons. */
const MORE: Readonly<Record<string, RuleSentence>> = {
  midnight: ({ nearest }) => {
    const entries = meant(nearest);
    return `Der Eintrag geht über Mitternacht; dafür sind zwei Einträge nötig${entries === undefined ? '' : `: ${entries}`}.`;
  },
  text: ({ nearest }) =>
    `Das ist unverständlich; ${
      meant(nearest) === undefined
        ? 'richtig wäre „mon-fri 06:00-22:00 normal; sat-sun none“, für einen Tag allein „06:00-22:00 normal“'
        : `gemeint vielleicht ${meant(nearest)}`
    }.`,
  position: ({ got }) => `${quoted(got)} passt hier nicht als position: eine ganze Zahl ab 0, jede nur einmal am Tag.`,
  type: ({ got, allowed, nearest }) => {
    const [wanted, near] = [kinds(allowed ?? []), meant(nearest)];
    return `${told(got)} hat nicht die richtige Form${wanted === '' ? '' : `; erwartet: ${wanted}`}${near === undefined ? '' : `; gemeint vielleicht ${near}`}.`;
  },
  required: ({ path }) => ([undefined, 'value'].includes(nameAt(path)) ? 'Es fehlt ein Wert.' : `Es fehlt „${nameAt(path)}“.`),
  profile: (broken) =>
    Object.hasOwn(SHAPES, String(broken.got)) ? `${told(broken.got)} nennt kein Profil${possible(broken.allowed)}.` : germanRule(broken),
  unknown: ({ path, got, allowed }) => `${quoted(nameAt(path) ?? got)} gehört nicht zu diesem Befehl${possible(allowed)}.`,
};

/** The German text for a broken rule in an answer; `shown` shortens a long text. */
export const germanAnswerRule: RuleSentence = (broken) => {
  const sentence = (Object.hasOwn(MORE, broken.rule) ? MORE[broken.rule]?.(broken) : undefined) ?? germanRule(broken);
  return sentence.replace(/ \(and (\d+) characters more\)“/gu, '“ (und $1 weitere Zeichen)');
};
