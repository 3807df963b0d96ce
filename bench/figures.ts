/** What a bench prints: each figure beside its floor, and what it may be. */

/** A number is how many times the floor; without a limit the figure is only shown. */
export type Limit = number | { readonly plus: number } | { readonly most: number } | undefined;

export type Figure = {
  readonly name: string;
  readonly value: number;
  readonly floor: number;
  readonly limit: Limit;
  readonly unit: 'ms' | 'MB';
};

const NAME_WIDTH = 62;

const digits = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);

const isMet = ({ value, floor, limit }: Figure): boolean => {
  if (limit === undefined) return true;
  if (typeof limit === 'number') return value / floor <= limit;
  return 'plus' in limit ? value - floor <= limit.plus : value <= limit.most;
};

const beside = ({ value, floor, limit, unit }: Figure): string =>
  typeof limit === 'object' && 'plus' in limit
    ? `${value < floor ? '−' : '+'} ${Math.abs(value - floor).toFixed(1)} ${unit}`
    : `${(value / floor).toFixed(2)} ×`;

const limitText = ({ limit, unit }: Figure): string => {
  if (limit === undefined) return '';
  if (typeof limit === 'number') return `at most ${limit} ×`;
  return 'plus' in limit ? `at most + ${limit.plus} ${unit}` : `at most ${limit.most} ${unit}`;
};

const line = (met: string, name: string, ...[value = '', floor = '', ratio = '', limit = '']: readonly string[]): string =>
  `${met.padEnd(3)}  ${name.padEnd(NAME_WIDTH)}${value.padStart(10)}${floor.padStart(10)}${ratio.padStart(12)}  ${limit}`.trimEnd();

/** A table that grows by a line with each figure. */
export class Figures {
  readonly #all: Figure[] = [];

  add(figure: Figure): void {
    if (this.#all.length === 0) console.log(line('', '', 'figure', 'floor', 'ratio', 'limit'));
    this.#all.push(figure);
    const { name, value, floor, limit, unit } = figure;
    const met = limit === undefined ? '' : isMet(figure) ? 'yes' : 'NO';
    console.log(line(met, name, `${digits(value)} ${unit}`, `${digits(floor)} ${unit}`, beside(figure), limitText(figure)));
  }

  /** Prints how many figures are as promised. */
  end(): void {
    const promised = this.#all.filter(({ limit }) => limit !== undefined);
    console.log(`${promised.filter(isMet).length} of ${promised.length} figures as promised`);
  }
}

/** Runs all of these in turn, after one round each that does not count; gives the values of each. */
export const alternate = async <T, const Runs extends readonly (() => Promise<T>)[]>(
  rounds: number,
  ...runs: Runs
): Promise<{ readonly [K in keyof Runs]: Awaited<ReturnType<Runs[K]>>[] }> => {
  const values = runs.map((): unknown[] => []);
  for (let round = -1; round < rounds; round += 1) {
    for (const [at, run] of runs.entries()) {
      const value = await run();
      if (round >= 0) values[at]?.push(value);
    }
  }
  return values as { readonly [K in keyof Runs]: Awaited<ReturnType<Runs[K]>>[] };
};
