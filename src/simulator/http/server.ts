import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Platform, respond } from '../api/platform.ts';
import { control } from '../control/control.ts';
import type { Fault } from '../control/faults.ts';
import { type Answer, failure, jsonAnswer, type Request } from './answer.ts';
import { deliver } from './deliver.ts';
import { parseJson } from './json.ts';
import { route } from './routes.ts';

const LARGEST_BODY = 1024 * 1024;

/** The body as text; undefined if it exceeds the platform's limit. */
const readBody = async (message: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size <= LARGEST_BODY) chunks.push(bytes);
  }
  return size > LARGEST_BODY ? undefined : Buffer.concat(chunks).toString();
};

const readRequest = (message: IncomingMessage, body: string): Request => {
  const [path = '', ...query] = (message.url ?? '').replace(/^https?:\/\/[^/?]*/i, '').split('?');
  return {
    method: message.method ?? '',
    path,
    query: new URLSearchParams(query.join('?')),
    contentType: (message.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    authorization: message.headers.authorization,
    body,
  };
};

const answerControl = (request: Request, platform: Platform): Answer => {
  try {
    const calls = route(request.path).to === 'calls';
    const command = calls ? { command: 'calls' } : parseJson(request.body);
    if (request.method !== (calls ? 'GET' : 'POST')) return jsonAnswer(400, { error: `${request.method} is not allowed here.` });
    return jsonAnswer(200, control(command, platform));
  } catch (error) {
    return jsonAnswer(400, { error: error instanceof Error ? error.message : String(error) });
  }
};

/** The answer of the platform or the fault. The request is executed unless the fault replaces it. */
const answer = (request: Request, fault: Fault | undefined, platform: Platform): Answer | undefined => {
  const instead = fault && (fault.answer !== undefined || fault.hang || fault.cut === 'before');
  const real = instead && !fault.execute ? undefined : respond(request, platform);
  return fault?.answer ?? real;
};

const NOTHING: Answer = { status: 0, headers: {}, body: '' };

const handle = async (message: IncomingMessage, response: ServerResponse, platform: Platform, signal: AbortSignal): Promise<void> => {
  response.setHeader('date', new Date(platform.now()).toUTCString());
  const body = await readBody(message);
  const request = readRequest(message, body ?? '');
  const { to } = route(request.path);
  if (to === 'control' || to === 'calls') return deliver(response, answerControl(request, platform), undefined, signal);
  const path = message.url ?? '';
  const fault = platform.faults.take(request.method, path);
  const tooLarge = body === undefined ? failure(413, 'REQUEST_TOO_LARGE', 'The request is too large.') : undefined;
  const given = tooLarge ?? answer(request, fault, platform) ?? NOTHING;
  const silent = fault !== undefined && (fault.hang || fault.cut === 'before' || fault.cut === 'after_effect');
  const status = silent ? 0 : given.status;
  platform.calls.add({ at: platform.now(), method: request.method, path, status, ...(request.body === '' ? {} : { body: request.body }) });
  await deliver(response, given, fault, signal);
};

/** An HTTP server for a platform. `signal` cancels delayed answers. */
export const platformServer = (platform: Platform, signal: AbortSignal): Server =>
  createServer((message, response) => {
    handle(message, response, platform, signal).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
      const { status, headers, body } = failure(500, 'SIMULATOR_DEFECT', error instanceof Error ? error.message : String(error));
      response.writeHead(status, headers).end(body);
    });
  });
