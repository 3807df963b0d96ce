/** `2027-01-04`: the date this many days after another; undefined for a text that is no date. By the civil calendar alone. */
export const daysAfter = (date: string, count: number): string | undefined => {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(date) ?? [];
  if (year === undefined) return undefined;
  let [y, m, d] = [Number(year), Number(month), Number(day) + count];
  for (let length = daysIn(y, m); d > length; length = daysIn(y, m)) {
    d -= length;
    m += 1;
    if (m > 12) [y, m] = [y + 1, 1];
  }
  return [String(y).padStart(4, '0'), String(m).padStart(2, '0'), String(d).padStart(2, '0')].join('-');
};

const daysIn = (year: number, month: number): number => {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 31;
};
