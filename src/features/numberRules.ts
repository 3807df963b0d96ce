import { broken, type Issue } from '../shared/issue.ts';
import type { Parameter } from './feature.ts';

// 0.1 has no exact binary form, and the platform itself sends 875.0999999999999.
const TOLERANCE = 1e-6;

const finite = (value: unknown, otherwise: number): number => (typeof value === 'number' && Number.isFinite(value) ? value : otherwise);

const limitsIn = ({ min, max, stepping }: Parameter['constraints']) => ({
  min: finite(min, Number.NEGATIVE_INFINITY),
  max: finite(max, Number.POSITIVE_INFINITY),
  stepping: finite(stepping, 0),
});

/** Without binary noise: 20.1 instead of 20.100000000000001. */
const plain = (value: number): number => Number(value.toFixed(6));

/** Up to two of the numbers, those nearest to `value`, ascending. */
const nearestNumbers = (value: number, numbers: readonly number[]): number[] =>
  [...numbers]
    .sort((a, b) => Math.abs(a - value) - Math.abs(b - value))
    .slice(0, 2)
    .sort((a, b) => a - b);

/** Which of `enum`, `min`, `max` and `stepping` (counted from `min`, else from 0) a finite number breaks. */
export const numberIssues = (path: string, constraints: Parameter['constraints'], value: number): Issue[] => {
  const choices = Array.isArray(constraints.enum) ? constraints.enum.filter((choice) => typeof choice === 'number') : [];
  const issues: Issue[] = [];
  if (choices.length > 0 && !choices.some((choice) => Math.abs(choice - value) <= TOLERANCE)) {
    const nearest = nearestNumbers(value, choices);
    issues.push(broken('enum', path, `${value} is not one of ${choices.join(', ')}`, { got: value, allowed: choices, nearest }));
  }
  const { min, max, stepping } = limitsIn(constraints);
  if (value < min - TOLERANCE)
    issues.push(broken('min', path, `${value} is under the least, ${min}`, { got: value, allowed: min, nearest: [min] }));
  if (value > max + TOLERANCE)
    issues.push(broken('max', path, `${value} is over the greatest, ${max}`, { got: value, allowed: max, nearest: [max] }));
  return [...issues, ...stepIssues(path, value, min, max, stepping)];
};

const stepIssues = (path: string, value: number, min: number, max: number, stepping: number): Issue[] => {
  if (stepping <= 0) return [];
  const from = Number.isFinite(min) ? min : 0;
  const steps = (value - from) / stepping;
  const lower = from + Math.floor(steps) * stepping;
  const upper = from + Math.ceil(steps) * stepping;
  if (Math.min(Math.abs(value - lower), Math.abs(upper - value)) <= TOLERANCE) return [];
  const nearest = [lower, upper]
    .filter((legal) => Number.isFinite(legal) && legal >= min - TOLERANCE && legal <= max + TOLERANCE)
    .map(plain);
  return [broken('stepping', path, `${value} is not on the steps of ${stepping} from ${from}`, { got: value, allowed: stepping, nearest })];
};

/** The legal step nearest to `value` (the upper of two); a value beyond the limits stays what it is, since limits are never clamped. */
export const nearestStep = (constraints: Parameter['constraints'], value: number): number => {
  const { min, max, stepping } = limitsIn(constraints);
  if (stepping <= 0 || value < min - TOLERANCE || value > max + TOLERANCE) return value;
  const from = Number.isFinite(min) ? min : 0;
  const most = Number.isFinite(max) ? Math.floor((max - from) / stepping + TOLERANCE) : Number.POSITIVE_INFINITY;
  return plain(from + Math.min(Math.round((value - from) / stepping), most) * stepping);
};
