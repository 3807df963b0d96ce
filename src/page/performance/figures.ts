import type { Report } from '../../features/performance/report.ts';
import type { PerformanceWords } from '../../language/performance/performanceWords.ts';
import { number, quantity } from '../shell/format.ts';

/** A figure of a period: `text` is the number with its unit, or the reason why it is missing. */
export type Figure = {
  readonly key: string;
  readonly label: string;
  readonly text: string;
  readonly uses?: string | undefined;
  readonly note?: string | undefined;
};

type Texts = Omit<Figure, 'key' | 'label' | 'text'> & { readonly text?: string | undefined };

/** Values that the heating never reports or that are not configured have no row. */
const HIDDEN: ReadonlySet<string> = new Set(['not_told', 'no_price']);

type Amount = Report['heat'];

/** The available figures of a report. The factor is always included: a missing one needs its reason. */
export const figuresOf = (report: Report, w: PerformanceWords): readonly Figure[] => {
  const amount = (value: Amount, unit: string): Texts => {
    if (!value) return {};
    const uses = (['heating', 'dhw', 'cooling'] as const).flatMap((use) => (value[use] ? [`${w.uses[use]} ${number(value[use])}`] : []));
    return { text: quantity(value.total, unit), ...(uses.length > 1 ? { uses: uses.join(' · ') } : {}) };
  };
  const told = (value: number | null | undefined, unit = '', digits = 1, least = 0): Texts =>
    value === null || value === undefined ? {} : { text: `${number(value, digits, least)}\u00a0${unit}`.trim() };
  const gasUnit = (unit: Report['gas_unit']): string => (unit === 'm3' ? 'm³' : 'kWh');
  const { factor, degree_days: degreeDays, short_runs: shortRuns } = report;
  const texts: Readonly<Record<keyof PerformanceWords['figures'], Texts>> = {
    heat: amount(report.heat, 'kWh'),
    power: amount(report.power, 'kWh'),
    rod: amount(report.rod, 'kWh'),
    gas: amount(report.gas, gasUnit(report.gas_unit)),
    gas_kwh: told(report.gas_unit === 'm3' ? report.gas_kwh : null, 'kWh'),
    factor: { ...told(factor.total, '', 2), note: w.notes.factor(report.rod !== null) },
    starts: { ...told(report.starts, '', 0), ...(shortRuns > 0 ? { note: w.notes.short_runs(shortRuns) } : {}) },
    hours: told(report.hours, 'h'),
    mean_run: told(report.mean_run, 'min', 0),
    outside: told(report.outside, '°C'),
    degree_days: { ...told(degreeDays?.hgt, 'Kd'), note: w.notes.degree_days },
    per_degree_day: told(report.per_degree_day, `${gasUnit(report.per_degree_day_unit)}/Kd`, 2),
    cost: { ...told(report.cost, '', 2, 2), note: w.notes.cost },
    co2: told(report.co2, 'kg'),
  };
  return (Object.keys(w.figures) as (keyof typeof texts)[]).flatMap((key): readonly Figure[] => {
    const { text, ...more } = texts[key];
    const label = w.figures[key];
    if (text !== undefined) return [{ key, label, text, ...more }];
    const why = report.why[key];
    if (why === undefined || (HIDDEN.has(why) && key !== 'factor')) return [];
    return [{ key, label, text: w.cannotTell(w.why[why]) }];
  });
};
