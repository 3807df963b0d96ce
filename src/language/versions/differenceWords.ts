import type { DayGroup } from '../../schedule/versions/weekDifference.ts';
import { dayRuns } from '../hints/shortDays.ts';
import type { Language } from '../language.ts';
import { modeWord } from '../modes.ts';
import { textsOf } from '../texts.ts';

const WORDS = textsOf({
  removed: [(spans: string) => `without ${spans}`, (spans: string) => `ohne ${spans}`],
  added: [(spans: string) => `new ${spans}`, (spans: string) => `neu ${spans}`],
  reordered: ['another entry counts where entries overlap', 'wo sich Einträge überschneiden, gilt ein anderer'],
  more: ['more', 'mehr'],
  less: ['less', 'weniger'],
  aDay: [' a day', ' am Tag'],
});

const lengthOf = (minutes: number): string => {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : ''].filter((part) => part !== '').join(' ');
};

/** The difference of two weeks: `Mon–Fri: 06:00 → 05:30, 40 min more a day; Sat: …`; empty without groups. */
export const differenceSentence = (groups: readonly DayGroup[], language: Language): string => {
  const words = WORDS[language];
  const name = (mode: string | undefined): string => (mode === undefined ? '' : ` ${modeWord(mode, language)}`);
  const spans = (all: DayGroup['added']): string => all.map(({ start, end, mode }) => `${start}–${end}${name(mode)}`).join(', ');
  const textOf = ({ runs, moved, changed, removed, added, more, isReordered }: DayGroup): string => {
    const aDay = runs.flat().length > 1 ? words.aDay : '';
    const parts = [
      ...moved.map(({ from, to }) => `${from} → ${to}`),
      ...changed.map(({ start, end, from, to }) => `${start}–${end}${name(from)} →${name(to)}`),
      ...(removed.length > 0 ? [words.removed(spans(removed))] : []),
      ...(added.length > 0 ? [words.added(spans(added))] : []),
      ...(isReordered ? [words.reordered] : []),
      ...more.map(({ mode, minutes }) => `${lengthOf(Math.abs(minutes))} ${minutes > 0 ? words.more : words.less}${name(mode)}${aDay}`),
    ];
    return `${dayRuns(runs, language)}: ${parts.join(', ')}`;
  };
  return groups.map(textOf).join('; ');
};
