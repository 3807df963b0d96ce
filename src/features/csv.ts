/** With one of these at its beginning, spreadsheets take a text as a formula. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;

/** A cell of comma-separated values as RFC 4180 has it. A text that would be a formula stands behind a single quote, as OWASP advises. */
export const csvCell = (value: string | number | undefined = ''): string => {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
