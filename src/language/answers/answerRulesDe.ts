import type { RuleSentence } from '../rules.ts';
import { germanRule, kinds, possible, quoted } from '../rulesDe.ts';

/** What `shown` says in place of a list or an object. */
const SHAPES: Readonly<Record<string, string>> = { 'a list': 'Eine Liste', 'an object': 'Ein Objekt' };

/** What may be meant, where that is text. */
const meant = (nearest: readonly unknown[] = []): string | undefined =>
  nearest.length > 0 && nearest.every((one) => typeof one === 'string') ? nearest.map((one) => `„${one}“`).join(' oder ') : undefined;

/** The name of what a rule is about: of `/value/shift` shift. The value of an envelope, and a place in a text, have none. */
const nameAt = (path = ''): string | undefined => {
  const name = /^\/(?:.*\/)?([^/ ]+)$/u.exec(path)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
  return name === 'value' ? undefined : name;
};

/** The rules of which an answer says more than the page, which shows each at its place with what would be right as a button. */
const MORE: Readonly<Record<string, RuleSentence>> = {
  midnight: ({ nearest }) => {
    const entries = meant(nearest);
    return `Der Eintrag geht über Mitternacht; dafür sind zwei Einträge nötig${entries === undefined ? '' : `: ${entries}`}.`;
  },
  text: ({ nearest }) =>
    `Das ist nicht zu verstehen; ${
      meant(nearest) === undefined
        ? 'richtig wäre „mon-fri 06:00-22:00 normal; sat-sun none“, für einen Tag allein „06:00-22:00 normal“'
        : `gemeint vielleicht ${meant(nearest)}`
    }.`,
  position: ({ got }) => `${quoted(got)} passt hier nicht als position: eine ganze Zahl ab 0, jede nur einmal am Tag.`,
  type: ({ got, allowed, nearest }) => {
    const [wanted, near] = [allowed === undefined ? '' : `; erwartet: ${kinds(allowed)}`, meant(nearest)];
    const what = SHAPES[String(got)] ?? quoted(got);
    return `${what} hat nicht die richtige Form${wanted}${near === undefined ? '' : `; gemeint vielleicht ${near}`}.`;
  },
  required: ({ path }) => (nameAt(path) === undefined ? 'Es fehlt ein Wert.' : `Es fehlt „${nameAt(path)}“.`),
  unknown: ({ path, got, allowed }) => `${quoted(nameAt(path) ?? got)} gehört nicht zu diesem Befehl${possible(allowed)}.`,
};

/** What an answer says of a broken rule in German. */
export const germanAnswerRule: RuleSentence = (broken) =>
  Object.hasOwn(MORE, broken.rule) ? (MORE[broken.rule]?.(broken) ?? germanRule(broken)) : germanRule(broken);
