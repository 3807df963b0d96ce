import { nearestWords } from '../shared/closestMatch.ts';
import { broken, type Issue, type Rule, shown } from '../shared/issue.ts';
import { matchesPattern } from '../shared/pattern.ts';
import type { Json, Parameter } from './feature.ts';

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

/** Up to two of the numbers, nearest to `value`, ascending. */
const nearestNumbers = (value: number, numbers: readonly number[]): number[] =>
  [...numbers]
    .sort((a, b) => Math.abs(a - value) - Math.abs(b - value))
    .slice(0, 2)
    .sort((a, b) => a - b);

/** Adds an issue for the value at this place. */
type Add = (rule: Rule, message: string, allowed: unknown, nearest?: readonly unknown[]) => void;

const collect = (path: string, got: Json, find: (add: Add) => void): Issue[] => {
  const issues: Issue[] = [];
  find((rule, message, allowed, nearest = []) => issues.push(broken(rule, path, message, { got, allowed, nearest })));
  return issues;
};

const choicesIn = (constraints: Parameter['constraints']): readonly Json[] => (Array.isArray(constraints.enum) ? constraints.enum : []);

/** Which of `enum`, `min`, `max` and `stepping` (from `min`, else 0) a finite number breaks. */
export const numberIssues = (path: string, constraints: Parameter['constraints'], value: number): Issue[] =>
  collect(path, value, (add) => {
    const choices = choicesIn(constraints).filter((choice) => typeof choice === 'number');
    if (choices.length > 0 && !choices.some((choice) => Math.abs(choice - value) <= TOLERANCE))
      add('enum', `${value} is not one of ${choices.join(', ')}`, choices, nearestNumbers(value, choices));
    const { min, max, stepping } = limitsIn(constraints);
    if (value < min - TOLERANCE) add('min', `${value} is below the minimum of ${min}`, min, [min]);
    if (value > max + TOLERANCE) add('max', `${value} is above the maximum of ${max}`, max, [max]);
    if (stepping <= 0) return;
    const from = Number.isFinite(min) ? min : 0;
    const steps = (value - from) / stepping;
    const around = [from + Math.floor(steps) * stepping, from + Math.ceil(steps) * stepping];
    if (around.some((legal) => Math.abs(value - legal) <= TOLERANCE)) return;
    const nearest = around.filter((legal) => Number.isFinite(legal) && legal >= min - TOLERANCE && legal <= max + TOLERANCE).map(plain);
    add('stepping', `${value} is not ${from} plus a multiple of ${stepping}`, stepping, nearest);
  });

// The longest recorded maxLength is 40. Longer texts than this are not matched against a pattern.
const LONGEST_TESTED = 1000;

/** Which of `enum`, `minLength`, `maxLength` (characters), `regEx` a text breaks. Invalid patterns pass. */
export const textIssues = (path: string, constraints: Parameter['constraints'], value: string): Issue[] =>
  collect(path, value, (add) => {
    const { minLength, maxLength, regEx } = constraints;
    const length = [...value].length;
    const printed = shown(value) || 'an empty text';
    const choices = choicesIn(constraints).filter((choice) => typeof choice === 'string');
    if (choices.length > 0 && !choices.includes(value))
      add('enum', `${printed} is not one of ${choices.join(', ')}`, choices, nearestWords(value, choices));
    if (typeof minLength === 'number' && length < minLength)
      add('minLength', `${length} characters are too few; at least ${minLength} are needed`, minLength);
    const tooLong = typeof maxLength === 'number' && length > maxLength;
    if (tooLong) add('maxLength', `${length} characters are too many; at most ${maxLength} are allowed`, maxLength);
    if (typeof regEx === 'string' && !tooLong && length <= LONGEST_TESTED && matchesPattern(value, regEx) === false)
      add('regEx', `${printed} does not match the pattern ${regEx}`, regEx);
  });

/**
 * The step nearest to `value`. A tie goes away from the current value, else up: Home Assistant moves hot
 * water by half a step, which would otherwise never go down. Out-of-range values are not clamped.
 */
export const nearestStep = (constraints: Parameter['constraints'], value: number, present?: Json): number => {
  const { min, max, stepping } = limitsIn(constraints);
  if (stepping <= 0 || value < min - TOLERANCE || value > max + TOLERANCE) return value;
  const from = Number.isFinite(min) ? min : 0;
  const most = Number.isFinite(max) ? Math.floor((max - from) / stepping + TOLERANCE) : Number.POSITIVE_INFINITY;
  const steps = (value - from) / stepping;
  const nearest = typeof present === 'number' && value < present ? Math.ceil(steps - 0.5) : Math.round(steps);
  return plain(from + Math.min(nearest, most) * stepping);
};
