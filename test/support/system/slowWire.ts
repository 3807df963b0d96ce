// The bridge loads it at its first call for a token, which takes a busy machine longer than these turns.
import 'oauth4webapi';
import type { Clock } from '../../../src/shared/clock.ts';
import { isRecord } from '../../../src/shared/json.ts';
import type { Simulator } from '../../../src/simulator/simulator.ts';
import type { VirtualTime } from '../time/virtualTime.ts';

type Delay = { readonly method: string | undefined; readonly path: RegExp; readonly ms: number; left: number };

/** An answer that is on its way through this process is there after fewer turns of the loop. */
const TURNS = 50;
const MOST_TURNS = 2000;

/**
 * Calls of the simulated platform over real sockets, which take no virtual time; those that it delays (`delayMs`) take as much virtual
 * time, and those that hang as much as the bridge waits for an answer.
 */
export const slowWire = (simulator: Simulator, time: VirtualTime) => {
  let delays: Delay[] = [];
  let mayHang = false;
  const control = (command: unknown): unknown => {
    if (!isRecord(command)) return simulator.control(command);
    if (command['command'] === 'clear') {
      delays = [];
      mayHang = false;
    }
    mayHang ||= command['hang'] === true || /hang/.test(String(command['kind']));
    const { delayMs, ...rest } = command;
    if (typeof delayMs !== 'number') return simulator.control(command);
    const match = isRecord(rest['match']) ? rest['match'] : {};
    const method = typeof match['method'] === 'string' ? match['method'] : undefined;
    const left = typeof rest['times'] === 'number' ? rest['times'] : Number.POSITIVE_INFINITY;
    delays.push({ method, path: new RegExp(String(match['path'] ?? '')), ms: delayMs, left });
    return { id: 0 };
  };
  const delayOf = (method: string, path: string): number => {
    const met = delays.find((delay) => delay.left > 0 && (delay.method ?? method) === method && delay.path.test(path));
    if (!met) return 0;
    met.left -= 1;
    return met.ms;
  };
  /** Resolves when the answer is there, or will not come by itself. */
  const arrived = async (isDone: () => boolean): Promise<void> => {
    const before = simulator.calls().length;
    for (let [all, since] = [0, 0]; !isDone() && all < MOST_TURNS && since < TURNS; all += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (simulator.calls().length > before) since += 1;
    }
  };
  const hanging = async <T>(call: () => Promise<T>, clock: Clock, timeoutMs: number): Promise<T> => {
    let isDone = false;
    const ended = new AbortController();
    const done = call().finally(() => {
      isDone = true;
      ended.abort();
    });
    const over = done.catch(() => undefined);
    await time.busy(arrived(() => isDone));
    if (!isDone) await Promise.race([over, clock.sleep(timeoutMs, ended.signal).catch(() => undefined)]);
    return time.busy(done);
  };
  const call = async <T>(method: string, path: string, work: () => Promise<T>, clock: Clock, timeoutMs: number): Promise<T> => {
    const delayMs = delayOf(method, path);
    const answered = mayHang ? hanging(work, clock, timeoutMs) : time.busy(work());
    if (delayMs === 0) return answered;
    const answer = await answered;
    await clock.sleep(delayMs);
    return answer;
  };
  return { control, call };
};
