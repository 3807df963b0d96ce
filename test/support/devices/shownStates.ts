const ENTRY = /'((?:[^'\\]|\\.)*)': '((?:[^'\\]|\\.)*)'/g;
const plain = (text = ''): string => text.replace(/\\U([0-9a-f]{8})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));

/** What a sensor shows by its template for a value, thought out without Jinja; `home-assistant-language.hub.ts` asks Jinja. */
export const shownBy = (template: string, value: string): string => {
  const map = new Map([...template.matchAll(ENTRY)].map(([, word, text]) => [plain(word), plain(text)]));
  if (value === '') return 'None';
  return map.get(value) ?? (value.length < 256 ? value : template.includes("~ '…'") ? `${value.slice(0, 254)}…` : 'None');
};
