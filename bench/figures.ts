import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';

/** What a bench prints and writes: each figure beside its floor, and what it may be. */

/** A number is how many times the floor; without a limit the figure is only shown. */
export type Limit = number | { readonly plus: number } | { readonly most: number } | undefined;

export type Figure = {
  readonly name: string;
  readonly value: number;
  /** 0 where there is nothing to compare with. */
  readonly floor: number;
  readonly limit: Limit;
  readonly unit: 'ms' | 'MB' | 'kB';
};

/** A figure with the broker at which it was measured. */
export type Measured = Figure & { readonly broker: string };

/** What `npm run bench -- --json` writes. */
export type Report = {
  readonly commit: string;
  readonly at: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly system: string;
    readonly node: string;
    readonly loadBefore: number;
    readonly loadAfter: number;
  };
  readonly figures: readonly Measured[];
  readonly failed: readonly { readonly broker: string; readonly row: string; readonly why: string }[];
};

const NAME_WIDTH = 62;

const digits = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);

export const amount = ({ unit }: Figure, value: number): string => `${digits(value)} ${unit}`;

export const isMet = ({ value, floor, limit }: Figure): boolean => {
  if (limit === undefined) return true;
  if (typeof limit === 'number') return value / floor <= limit;
  return 'plus' in limit ? value - floor <= limit.plus : value <= limit.most;
};

export const beside = ({ value, floor, limit, unit }: Figure): string => {
  if (floor === 0) return '';
  return typeof limit === 'object' && 'plus' in limit
    ? `${value < floor ? '−' : '+'} ${Math.abs(value - floor).toFixed(1)} ${unit}`
    : `${(value / floor).toFixed(2)} ×`;
};

export const limitText = ({ limit, unit }: Figure): string => {
  if (limit === undefined) return '';
  if (typeof limit === 'number') return `${limit} ×`;
  return 'plus' in limit ? `+ ${limit.plus} ${unit}` : `${limit.most} ${unit}`;
};

const line = (met: string, name: string, ...[value = '', floor = '', ratio = '', limit = '']: readonly string[]): string =>
  `${met.padEnd(3)}  ${name.padEnd(NAME_WIDTH)}${value.padStart(10)}${floor.padStart(10)}${ratio.padStart(12)}  ${limit}`.trimEnd();

const git = (folder: string, ...args: readonly string[]): string =>
  spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).stdout?.trim() ?? '';

/** The commit of a checkout; `-dirty` where it has changes. */
const commitOf = (folder: string): string => git(folder, 'describe', '--always', '--abbrev=40', '--exclude=*', '--dirty');

/** Load of the machine over the last minute; 0 where the system does not tell. */
const load = (): number => Number((loadavg()[0] ?? 0).toFixed(2));

/** A table that grows by a line with each figure. */
export class Figures {
  readonly #all: Measured[] = [];
  readonly #failed: { broker: string; row: string; why: string }[] = [];
  readonly #loadBefore = load();
  readonly #startedAtMs = performance.now();
  /** Of the release: the checkout may be another one when the last row ends. */
  readonly #commit: string;
  #broker = '';

  /** `checkout`: where the release that is measured was built. */
  constructor(checkout: string) {
    this.#commit = commitOf(checkout);
  }

  /** The figures that follow are measured at this broker. */
  atBroker(name: string): void {
    this.#broker = name;
    console.log(`broker: ${name}`);
    console.log(line('', '', 'figure', 'floor', 'ratio', 'limit'));
  }

  add(figure: Figure): void {
    this.#all.push({ broker: this.#broker, ...figure });
    const { name, value, floor, limit } = figure;
    const met = limit === undefined ? '' : isMet(figure) ? 'yes' : 'NO';
    const most = limit === undefined ? '' : `at most ${limitText(figure)}`;
    console.log(line(met, name, amount(figure, value), floor === 0 ? '' : amount(figure, floor), beside(figure), most));
  }

  /** A row that could not be measured: the others still can. */
  failed(row: string, cause: unknown): void {
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#failed.push({ broker: this.#broker, row, why });
    console.error(`FAILED  ${row}: ${why}`);
    process.exitCode = 1;
  }

  /** Prints how many figures are as promised, and how long all took. */
  end(): void {
    console.log(
      `${Math.round((performance.now() - this.#startedAtMs) / 1000)} s, load of the machine ${this.#loadBefore} before, ${load()} now`,
    );
    const promised = this.#all.filter(({ limit }) => limit !== undefined);
    console.log(`${promised.filter(isMet).length} of ${promised.length} figures as promised`);
    if (this.#failed.length > 0) console.error(`not measured: ${this.#failed.map(({ row }) => row).join('; ')}`);
  }

  /** With the commit of the release, and the machine. */
  report(): Report {
    const [cpu] = cpus();
    return {
      commit: this.#commit,
      at: new Date().toISOString(),
      machine: {
        cpu: cpu?.model ?? '',
        cores: cpus().length,
        memoryGb: Math.round(totalmem() / 2 ** 30),
        system: `${process.platform} ${release()} ${process.arch}`,
        node: process.version,
        loadBefore: this.#loadBefore,
        loadAfter: load(),
      },
      figures: this.#all,
      failed: this.#failed,
    };
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
