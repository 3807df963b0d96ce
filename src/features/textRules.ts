import { nearestWords } from '../shared/closestMatch.ts';
import { broken, type Issue, shown } from '../shared/issue.ts';
import { matchesPattern } from '../shared/pattern.ts';
import type { Parameter } from './feature.ts';

// The longest recorded maxLength is 40. A longer text than this is not matched against a pattern.
const LONGEST_TESTED = 1000;

/** Which of `enum`, `minLength`, `maxLength` (characters) and `regEx` a text breaks; a pattern that is not understood breaks nothing. */
export const textIssues = (path: string, constraints: Parameter['constraints'], value: string): Issue[] => {
  const { minLength, maxLength, regEx } = constraints;
  const got = value;
  const length = [...value].length;
  const issues = enumIssues(path, constraints, value);
  if (typeof minLength === 'number' && length < minLength) {
    issues.push(
      broken('minLength', path, `${length} characters are too few; at least ${minLength} are needed`, { got, allowed: minLength }),
    );
  }
  const tooLong = typeof maxLength === 'number' && length > maxLength;
  if (tooLong) {
    issues.push(
      broken('maxLength', path, `${length} characters are too many; at most ${maxLength} are allowed`, { got, allowed: maxLength }),
    );
  }
  if (typeof regEx === 'string' && !tooLong && length <= LONGEST_TESTED && matchesPattern(value, regEx) === false) {
    issues.push(broken('regEx', path, `${shown(value) || 'an empty text'} does not have the form ${regEx}`, { got, allowed: regEx }));
  }
  return issues;
};

const enumIssues = (path: string, constraints: Parameter['constraints'], value: string): Issue[] => {
  const choices = Array.isArray(constraints.enum) ? constraints.enum.filter((choice) => typeof choice === 'string') : [];
  if (choices.length === 0 || choices.includes(value)) return [];
  const nearest = nearestWords(value, choices);
  return [
    broken('enum', path, `${shown(value) || 'an empty text'} is not one of ${choices.join(', ')}`, {
      got: value,
      allowed: choices,
      nearest,
    }),
  ];
};
