/** An entry as it is sent and shown. */
export type Shown = { readonly start: string; readonly end: string; readonly mode: string; readonly position: number };
export type ShownWeek = Readonly<Record<string, readonly Shown[]>>;

export const DAY_NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** `06:00-08:00 normal, 17:00-22:00 comfort` as entries; '' is a day without any. */
export const day = (text: string): Shown[] =>
  text === ''
    ? []
    : text.split(', ').map((one, position) => {
        const [times = '', mode = ''] = one.split(' ');
        const [start = '', end = ''] = times.split('-');
        return { start, end, mode, position };
      });

/** The week as a POST or `S/entries` has to have it: seven days in order, four keys in order. */
export const weekText = (week: ShownWeek): string => {
  const days = DAY_NAMES.map((name) => {
    const entries = (week[name] ?? []).map(
      ({ start, end, mode, position }) => `{"start":"${start}","end":"${end}","mode":"${mode}","position":${position}}`,
    );
    return `"${name}":[${entries.join(',')}]`;
  });
  return `{${days.join(',')}}`;
};

/** A week in which every day is the same. */
export const daily = (text: string): ShownWeek => Object.fromEntries(DAY_NAMES.map((name) => [name, day(text)]));
