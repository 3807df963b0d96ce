const ENTRY = /'((?:[^'\\]|\\.)*)': '((?:[^'\\]|\\.)*)'/g;
const plain = (text = ''): string => text.replace(/\\U([0-9a-f]{8})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));

const SCHEDULE = /^\{\{ \('([^']*)' if not value_json.active .*\.get\(value_json\.(\w+), .* else '([^']*)' if /;

/** What a template shows for a word of the platform. */
export const wordOf = (template: string, word: string, otherwise = word): string =>
  new Map([...template.matchAll(ENTRY)].map(([, from, to]) => [plain(from), plain(to)])).get(word) ?? otherwise;

/** What a sensor shows by its template for a value, thought out without Jinja; `home-assistant-language.hub.ts` asks Jinja. */
export const shownBy = (template: string, value: string): string => {
  const [, inactive = '', member = '', nothing = ''] = SCHEDULE.exec(template) ?? [];
  if (member !== '') {
    const { active, [member]: mode }: Readonly<Record<string, unknown>> = JSON.parse(value || '{}');
    if (active === undefined || (active && mode === undefined)) return 'None';
    return active ? (mode === null ? plain(nothing) : wordOf(template, String(mode))) : plain(inactive);
  }
  // A field in which nothing is filled in.
  if (template.startsWith(`{{ '' if value == '${value}'`)) return '';
  if (value === '') return 'None';
  return wordOf(template, value, value.length < 256 ? value : template.includes("~ '…'") ? `${value.slice(0, 254)}…` : 'None');
};
