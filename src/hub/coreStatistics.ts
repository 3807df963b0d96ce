import { on } from 'node:events';
import * as z from 'zod/mini';
import { importMessage, type PastSeries } from '../features/energy/pastFiles.ts';
import { CodedError, messageOf } from '../shared/errors.ts';
import { jsonObject } from '../shared/json.ts';

/** Home Assistant itself, at the address for apps. The token is sent nowhere else. */
const CORE = 'ws://supervisor/core/websocket';

/** Time limits: for a whole import with its connection, and for one answer. */
const WITHIN_MS = 60_000;
const ANSWER_MS = 10_000;
/** Imports are queued: how often the result is checked. */
const LOOK_MS = 500;
/** Rows are returned as floats. */
const NOISE = 1e-6;

/**
 * `unreachable`: no answer; `not_allowed`: the token is refused, for example without `homeassistant_api`;
 * `refused`: Home Assistant rejects the command, for example without its recorder; `not_kept`: it accepted
 * the command, but its statistics do not contain the data.
 */
export type HubCode = 'unreachable' | 'not_allowed' | 'refused' | 'not_kept';

export class HubError extends CodedError<HubCode> {}

const LATE = `Home Assistant does not answer within ${ANSWER_MS / 1000} seconds; try again when it has started`;
const AWAY = 'Home Assistant cannot be reached, or has ended the connection; try again when it has started';
const NOT_DONE = `Home Assistant needs more than ${WITHIN_MS / 1000} seconds; try again when it has less to do`;
const NOT_ALLOWED = 'Home Assistant refuses the token of this app: install the newest version of the app, and start it again';
const NOT_KEPT =
  'Home Assistant took the values and does not show them: its log says why (lines of homeassistant.components.recorder); try again later';

/** The maximum length of a Home Assistant error; its validation errors repeat the request. */
const LONGEST = 300;
const line = z.pipe(
  z.string(),
  z.transform((text) => text.slice(0, LONGEST).replace(/[\s\p{Cc}]+/gu, ' ')),
);

const REPLY = z.object({
  type: z.string(),
  ha_version: z.optional(z.string()),
  id: z.optional(z.number()),
  success: z.optional(z.boolean()),
  result: z.optional(z.unknown()),
  error: z.catch(z.optional(z.object({ code: line, message: line })), undefined),
});
const ROWS = z.record(z.string(), z.array(z.object({ start: z.number(), sum: z.nullish(z.number()) })));
const LISTED = z.array(z.object({ statistic_id: z.string() }));

type Message = Readonly<Record<string, unknown>>;

/** The WebSocket API: https://developers.home-assistant.io/docs/api/websocket. */
const connect = async (url: string, token: string, whole: AbortSignal) => {
  const socket = new WebSocket(url);
  let id = 0;
  /** The next matching message; rejects if the connection ends, after ANSWER_MS, or after the total limit. */
  const next = async (fits: (reply: z.infer<typeof REPLY>) => boolean): Promise<z.infer<typeof REPLY>> => {
    const late = AbortSignal.timeout(ANSWER_MS);
    try {
      for await (const [{ data }] of on(socket, 'message', { signal: AbortSignal.any([whole, late]), close: ['close', 'error'] })) {
        const reply = REPLY.safeParse(jsonObject(String(data)));
        if (reply.success && fits(reply.data)) return reply.data;
      }
    } catch {
      throw new HubError('unreachable', whole.aborted ? NOT_DONE : LATE);
    }
    throw new HubError('unreachable', AWAY);
  };
  const ask = async (message: Message): Promise<unknown> => {
    id += 1;
    const own = id;
    const answer = next((reply) => reply.type === 'result' && reply.id === own);
    socket.send(JSON.stringify({ id: own, ...message }));
    const { success, result, error } = await answer;
    if (success) return result;
    if (error?.code === 'unauthorized') throw new HubError('not_allowed', NOT_ALLOWED);
    const named = error ? `${error.message} (${error.code})` : 'it does not say why; its log may';
    const why = error?.code === 'unknown_command' ? 'it runs without its recorder' : named;
    throw new HubError('refused', `Home Assistant does not take it: ${why}`);
  };
  const close = (): void => socket.close();
  try {
    await next(({ type }) => type === 'auth_required');
    const verdict = next(({ type }) => type.startsWith('auth_'));
    socket.send(JSON.stringify({ type: 'auth', access_token: token }));
    const { type, ha_version: version = '' } = await verdict;
    if (type !== 'auth_ok') throw new HubError('not_allowed', NOT_ALLOWED);
    return { ask, close, isOld: isOld(version) };
  } catch (cause) {
    close();
    throw cause;
  }
};

type Core = Awaited<ReturnType<typeof connect>>;

/** Home Assistant before 2025.11 rejects the two members that it needs since. */
const isOld = (version: string): boolean => {
  const [year = 0, month = 0] = version.split('.').map(Number);
  return year > 0 && (year < 2025 || (year === 2025 && month < 11));
};

const messageFor = ({ isOld }: Core, series: PastSeries) => {
  const message = importMessage(series);
  const { mean_type, unit_class, ...metadata } = message.metadata;
  return isOld ? { ...message, metadata } : message;
};

/** Polls until the condition is true. */
const until = async (isSo: () => Promise<boolean>, signal: AbortSignal): Promise<void> => {
  while (!(await isSo())) {
    if (signal.aborted) throw new HubError('not_kept', NOT_KEPT);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
};

const isKept = async ({ ask }: Core, series: PastSeries): Promise<boolean> => {
  const { id } = series;
  const { stats } = importMessage(series);
  const question = { type: 'recorder/statistics_during_period', statistic_ids: [id], period: 'hour', types: ['sum'] };
  const shown = ROWS.safeParse(await ask({ ...question, start_time: stats[0]?.start }));
  const sums = new Map((shown.data?.[id] ?? []).map((row) => [row.start, row.sum ?? Number.NaN]));
  return stats.every(({ start, sum }) => Math.abs((sums.get(Date.parse(start)) ?? Number.NaN) - sum) < NOISE);
};

const isGone = async ({ ask }: Core, ids: readonly string[]): Promise<boolean> => {
  const listed = LISTED.safeParse(await ask({ type: 'recorder/list_statistic_ids' }));
  return listed.success && !listed.data.some(({ statistic_id: id }) => ids.includes(id));
};

/** Home Assistant's long-term statistics, for consumption before the bridge counted. Throws HubError. */
export const coreStatistics = (token: () => string, url = CORE) => {
  const connected = async (work: (core: Core, signal: AbortSignal) => Promise<void>): Promise<void> => {
    const signal = AbortSignal.timeout(WITHIN_MS);
    const core = await connect(url, token(), signal);
    try {
      await work(core, signal);
    } catch (cause) {
      throw cause instanceof HubError ? cause : new HubError('unreachable', messageOf(cause), { cause });
    } finally {
      core.close();
    }
  };
  const clear = async (core: Core, ids: readonly string[], signal: AbortSignal): Promise<void> => {
    await core.ask({ type: 'recorder/clear_statistics', statistic_ids: [...ids] });
    await until(() => isGone(core, ids), signal);
  };
  return {
    /** Replaces the series with these ids by these series, one message each, and verifies them. */
    import: (series: readonly PastSeries[], ids: readonly string[] = series.map(({ id }) => id)): Promise<void> =>
      connected(async (core, signal) => {
        // Otherwise old bars that this import lacks would stay with their sums.
        await clear(core, ids, signal);
        for (const one of series) await core.ask(messageFor(core, one));
        for (const one of series) await until(() => isKept(core, one), signal);
      }),
    /** Removes the series with these ids, and verifies that. */
    clear: (ids: readonly string[]): Promise<void> => connected((core, signal) => clear(core, ids, signal)),
  };
};

export type CoreStatistics = ReturnType<typeof coreStatistics>;
