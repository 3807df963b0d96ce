/** A time span: `tomorrow 05:00 – 07:00`; an equal day is named once. */
export const spanText = (from: string, until: string): string => {
  const day = from.slice(0, from.lastIndexOf(' ') + 1);
  return `${from} – ${until.startsWith(day) ? until.slice(day.length) : until}`;
};
