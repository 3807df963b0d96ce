/** Spreadsheets read a text with one of these at the beginning as a formula. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;

/** A CSV cell (RFC 4180). A text that looks like a formula gets a leading single quote (OWASP). */
export const csvCell = (value: string | number | undefined = ''): string => {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
