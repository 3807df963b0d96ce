import { housesOf, type Site } from '../home/site.ts';
import { type Answer, jsonAnswer, notAllowed, notFound, type Request, validationError } from '../http/answer.ts';
import type { JsonObject } from '../http/json.ts';
import type { PlatformEvent } from './events.ts';
import { readPage } from './page.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const show = ({ at, gateway, type, body }: PlatformEvent): JsonObject => ({
  eventType: type,
  gatewaySerial: gateway,
  body,
  eventTimestamp: new Date(at).toISOString(),
  createdAt: new Date(at).toISOString(),
});

/** The range of `lastNDays` or of `start` and `end`, in epoch ms; undefined where these cannot be read. */
const readSpan = (query: URLSearchParams, now: number): { readonly from: number; readonly to: number } | undefined => {
  const days = query.get('lastNDays');
  const start = query.get('start');
  const end = query.get('end');
  if (days !== null && !/^\d{1,4}$/.test(days)) return undefined;
  const from = start === null ? Number.NEGATIVE_INFINITY : Date.parse(start);
  const to = end === null ? Number.POSITIVE_INFINITY : Date.parse(end);
  if (Number.isNaN(from) || Number.isNaN(to)) return undefined;
  return { from: days === null ? from : Math.max(from, now - Number(days) * DAY_MS), to };
};

/** The events of an installation, newest first, in pages. Filters: `lastNDays`, `start`, `end`, `eventType`, `gatewaySerial`. */
export const history = (request: Request, installation: string, site: Site, now: number): Answer => {
  const { method, query } = request;
  if (method !== 'GET') return notAllowed(method);
  if (housesOf(site, installation).length === 0) return notFound('INSTALLATION', installation);
  const page = readPage(query);
  if ('refusal' in page) return page.refusal;
  const span = readSpan(query, now);
  if (!span) return validationError([{ path: 'lastNDays', message: 'must be a number of days; start and end instants' }]);
  const types = query.getAll('eventType').flatMap((text) => text.split(','));
  const gateway = query.get('gatewaySerial');
  const found = site.events
    .list()
    .filter(
      (event) =>
        String(event.installation) === installation &&
        event.number < (page.cursor ?? Number.POSITIVE_INFINITY) &&
        event.at >= span.from &&
        event.at <= span.to &&
        (types.length === 0 || types.includes(event.type)) &&
        (gateway === null || gateway === event.gateway),
    );
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  return jsonAnswer(200, { data: shown.map(show), cursor: last && found.length > shown.length ? { next: String(last.number) } : {} });
};
